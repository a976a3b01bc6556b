#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/counting/iteration_counts.hpp"
#include "cli/reports/prediction_report.hpp"
#include "core/analysis/features.hpp"
#include "core/schedule/solver.hpp"
#include "core/workload/layout.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/advice/advice.hpp"

namespace sparsecast::cli {

/// What a report asks for of each matrix.
struct ReportRequest {
  std::vector<DeviceProfile> profiles;
  std::vector<Layout> layouts;
  Precision precision = Precision::f64;
  std::optional<int> max_devices;
  std::optional<Solver> own;             ///< in place of our conjugate gradients
  std::optional<CountOptions> counting;  ///< times to solution by these solvers:
  SolversToCount solvers;
  std::string cycles{};  ///< `cycles_text` of these solvers
};

/// What a report says of a matrix: what `predict` and `advise` do.
struct MatrixForecast {
  std::string name;
  MatrixFeatures features;
  std::string picture;  ///< `pattern_picture`; empty of a features file
  Forecast forecast;    ///< of each profile for `advised_devices`
  std::optional<Advice> advice;
  std::string no_advice;              ///< why there is none
  std::vector<std::string> warnings;  ///< of the matrix; those of forecasts are theirs
};

/// Reads a matrix or a features file, and forecasts. Warns as `predict` and `advise` do; throws
/// what they throw.
MatrixForecast forecast_matrix(const CommandLine& line, const std::string& path,
                               const ReportRequest& request);

}  // namespace sparsecast::cli
