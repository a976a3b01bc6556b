#include "calibrate/fit/iteration_intervals.hpp"

#include <array>
#include <map>
#include <utility>

#include "calibrate/fit/curves/curve_samples.hpp"
#include "calibrate/fit/formatted.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "model/paper/iteration_time.hpp"

namespace sparsecast {

std::string IterationInterval::full() const {
  return formatted(
      "%s %s: measured / predicted iteration time: median %.2f, 90 %% interval %.2f "
      "to %.2f, %d matrices%s\n",
      std::string(to_string(precision)).c_str(), layout.c_str(), fit.median, fit.ratios.low,
      fit.ratios.high, fit.ratios.samples, fit.assumed_log_normal ? " (log-normal assumed)" : "");
}

std::vector<std::string> missing_vector_kernels(const PrecisionProfile& curves) {
  constexpr std::array needed{"CG2", "CG3", "CG4", "CG5", "Red"};
  std::vector<std::string> missing;
  for (const char* kernel : needed) {
    if (!curves.curves.contains(kernel)) missing.emplace_back(kernel);
  }
  return missing;
}

IterationIntervals fit_iteration_intervals(std::span<const Sample> samples, Precision precision,
                                           const DeviceProfile& profile) {
  const PrecisionProfile& curves = profile.precisions.at(precision);
  if (!missing_vector_kernels(curves).empty()) return {};
  const Schedule schedule = algorithm1_schedule();
  std::map<std::string, std::vector<double>> ratios;
  for (const Sample& sample : samples) {
    if (sample.precision != precision || sample.kernel != "Iteration" || sample.devices != 1 ||
        !sample.exchange.empty() || !sample.held_out || sample.schedule != schedule.name ||
        !has_launch_of_models(sample) || !sample.trusted() ||
        !curves.curves.contains(spmv_curve_key(sample.layout))) {
      continue;
    }
    const IterationTime predicted = price_iteration(schedule, std::span(&sample.shape, 1), profile,
                                                    precision, sample.layout, CurveKind::average);
    ratios[sample.layout].push_back(sample.seconds / predicted.seconds);
  }
  IterationIntervals fit;
  for (const auto& [layout, of_layout] : ratios) {
    if (const std::optional<IntervalFit> interval = interval_of(of_layout)) {
      fit.intervals.push_back({precision, layout, *interval});
    } else {
      fit.warnings.push_back(std::string(to_string(precision)) + ' ' + layout +
                             ": too few whole iterations for an interval");
    }
  }
  return fit;
}

}  // namespace sparsecast
