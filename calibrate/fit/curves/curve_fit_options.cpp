#include "calibrate/fit/curves/curve_fit_options.hpp"

#include "model/paper/throughput_curve.hpp"

namespace sparsecast {

bool CurveFitOptions::is_valid(std::string* reason) const {
  const auto refuse = [reason](const char* why) {
    if (reason != nullptr) *reason = why;
    return false;
  };
  if (min_samples < 4) return refuse("min_samples must be at least 4: there are 3 parameters");
  if (!(min_span_octaves > 0)) return refuse("min_span_octaves must be positive");
  if (!(max_sigma > latency_bandwidth_sigma)) return refuse("max_sigma must exceed 1/ln 2");
  if (!(huber_threshold > 0)) return refuse("huber_threshold must be positive");
  if (!(max_log_error > 0)) return refuse("max_log_error must be positive");
  if (!(quantile > 0.5 && quantile < 1)) return refuse("quantile must lie between 0.5 and 1");
  if (!(peak_gbps >= 0)) return refuse("peak_gbps must be positive, or 0 where it is unknown");
  if (max_iterations < 1) return refuse("max_iterations must be positive");
  return true;
}

}  // namespace sparsecast
