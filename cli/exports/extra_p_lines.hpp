#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/exports/timed_case.hpp"

namespace sparsecast::cli {

/// Lines of JSON as Extra-P reads them, and what they leave out.
struct ExtraPLines {
  std::string text;
  /// "spmv->dia-f64, time": Extra-P wants all times of a call path at every point, so that call
  /// paths that lack points of the fullest are left out.
  std::vector<std::string> left_out;
};

/// A line a case (docs/exports.md): parameters unknowns and nonzeros, and devices where they
/// differ; metric "time" of what was measured, "forecast_PROFILE" of forecasts; call path
/// "spmv->csr-f64" or "iteration->fused-csr-graph-f64".
ExtraPLines extra_p_lines(std::span<const TimedCase> cases);

}  // namespace sparsecast::cli
