#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "predict/validation/data/validation_row.hpp"

namespace sparsecast {

/// |predicted / measured - 1| of the time of an iteration.
double time_error(double predicted_seconds, double measured_seconds);
/// The same of performance, which is what Table 6 gives: |measured / predicted - 1|.
double performance_error(double predicted_seconds, double measured_seconds);

/// Errors of those cases of a set that have a forecast. A matrix counts once: the errors of cases
/// with the same pattern are averaged before anything else.
struct ErrorSummary {
  std::size_t matrices = 0;
  std::size_t cases = 0;
  double mean_performance_error = 0;
  double variance_performance_error = 0;  ///< of the sample; 0 for a single matrix
  double mean_time_error = 0;
  double median_time_error = 0;
  double p90_time_error = 0;
  double p95_time_error = 0;
  /// Mean of log(predicted/measured), as a factor: above 1 the model predicts too long a time.
  double bias = 1;
  double median_noise = 0;               ///< of `measurement_noise`
  std::optional<double> coverage;        ///< share of intervals that hold the measured time
  std::optional<double> interval_width;  ///< mean of their widths over the measured time
};

/// Which of a row's forecasts is judged.
enum class Forecaster { model, paper, baseline, roofline, regression };
/// "the model", "the paper's model", "the baseline", "the roofline", "the regression".
std::string_view name_of(Forecaster forecaster);

/// That forecast of a row's time; 0: there is none.
double forecast_seconds(const ValidationRow& row, Forecaster forecaster);

ErrorSummary summarize_errors(std::span<const ValidationRow> rows, Forecaster forecaster);

}  // namespace sparsecast
