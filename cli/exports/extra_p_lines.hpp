#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/exports/timed_case.hpp"

namespace sparsecast::cli {

/// Lines of JSON as Extra-P reads them, and what there is to say of them.
struct ExtraPLines {
  std::string text;
  /// "spmv->dia-f64, time": Extra-P wants all times of a call path at every point, so that call
  /// paths that lack points of the fullest are left out.
  std::vector<std::string> left_out;
  std::size_t series = 0;  ///< how many there are, with those that are left out
  /// "2 of devices (give more numbers of them)": parameters with fewer points, the others fixed,
  /// than `fewest_points`, and what to do.
  std::vector<std::string> short_lines;
  /// From so many on Extra-P fits a formula.
  static constexpr std::size_t fewest_points = 5;
};

/// A line a case (docs/exports.md): metric "time" of what was measured, "forecast_PROFILE" of
/// forecasts; call path "spmv->csr-f64" or "iteration->fused-csr-graph-f64", in an order that is
/// not the matrix's own "spmv->csr-f64-rcm". Extra-P takes several parameters only where each
/// varies while the others stay, or it fits a constant. So `nonzeros` is the parameter, and
/// `devices` beside it where every size has every number of them, alone where there is one size.
/// Otherwise the number is a part of the call path.
ExtraPLines extra_p_lines(std::span<const TimedCase> cases);

}  // namespace sparsecast::cli
