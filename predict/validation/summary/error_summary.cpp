#include "predict/validation/summary/error_summary.hpp"

#include <cmath>
#include <vector>

#include "predict/validation/summary/statistics.hpp"

namespace sparsecast {

double time_error(double predicted_seconds, double measured_seconds) {
  return std::abs(predicted_seconds / measured_seconds - 1);
}

double performance_error(double predicted_seconds, double measured_seconds) {
  return std::abs(measured_seconds / predicted_seconds - 1);
}

double forecast_seconds(const ValidationRow& row, Forecaster forecaster) {
  switch (forecaster) {
    case Forecaster::paper:
      return row.paper_seconds;
    case Forecaster::baseline:
      return row.baseline_seconds;
    case Forecaster::roofline:
      return row.roofline_seconds;
    case Forecaster::regression:
      return row.regression_seconds;
    case Forecaster::model:
      break;
  }
  return row.predicted_seconds;
}

std::string_view name_of(Forecaster forecaster) {
  switch (forecaster) {
    case Forecaster::paper:
      return "the paper's model";
    case Forecaster::baseline:
      return "the baseline";
    case Forecaster::roofline:
      return "the roofline";
    case Forecaster::regression:
      return "the regression";
    case Forecaster::model:
      break;
  }
  return "the model";
}

ErrorSummary summarize_errors(std::span<const ValidationRow> all, Forecaster forecaster) {
  ErrorSummary summary;
  const auto rows =
      select(all, [&](const ValidationRow& row) { return forecast_seconds(row, forecaster) > 0; });
  summary.cases = rows.size();
  const std::vector<double> performance = by_pattern(rows, [&](const ValidationRow& row) {
    return performance_error(forecast_seconds(row, forecaster), row.measured_seconds);
  });
  const std::vector<double> time = by_pattern(rows, [&](const ValidationRow& row) {
    return time_error(forecast_seconds(row, forecaster), row.measured_seconds);
  });
  const std::vector<double> bias = by_pattern(rows, [&](const ValidationRow& row) {
    return std::log(forecast_seconds(row, forecaster) / row.measured_seconds);
  });
  summary.matrices = time.size();
  summary.mean_performance_error = mean(performance);
  summary.variance_performance_error = sample_variance(performance);
  summary.mean_time_error = mean(time);
  summary.median_time_error = quantile(time, 0.5);
  summary.p90_time_error = quantile(time, 0.9);
  summary.p95_time_error = quantile(time, 0.95);
  summary.bias = std::exp(mean(bias));
  summary.median_noise = quantile(by_pattern(rows, measurement_noise), 0.5);
  if (forecaster == Forecaster::model) {
    const auto stated =
        select(rows, [](const ValidationRow& row) { return row.interval_seconds.has_value(); });
    if (!stated.empty()) {
      summary.coverage = mean(by_pattern(stated, [](const ValidationRow& row) {
        const bool held = row.interval_seconds->low <= row.measured_seconds &&
                          row.measured_seconds <= row.interval_seconds->high;
        return held ? 1.0 : 0.0;
      }));
      summary.interval_width = mean(by_pattern(stated, [](const ValidationRow& row) {
        return (row.interval_seconds->high - row.interval_seconds->low) / row.measured_seconds;
      }));
    }
  }
  return summary;
}

}  // namespace sparsecast
