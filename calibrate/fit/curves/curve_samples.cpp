#include "calibrate/fit/curves/curve_samples.hpp"

#include <set>

#include "calibrate/measure/measured_schedules.hpp"
#include "core/formats/for_comparisons.hpp"
#include "core/formats/registry.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "core/workload/launch_mode.hpp"
#include "model/profile/device_profile.hpp"
#include "model/working_set.hpp"

namespace sparsecast {

std::string curve_key(const Sample& sample) {
  return sample.layout.empty() ? sample.kernel : product_curve_key(sample.kernel, sample.layout);
}

bool has_launch_of_models(const Sample& sample) {
  return sample.launch.empty() || sample.launch == to_string(LaunchMode::graph);
}

namespace {

/// Of formats for comparisons there are too few, and the paper's model knows none of them.
bool is_of_compared_format(const Sample& sample) {
  return !sample.layout.empty() && is_for_comparisons(parse_layout(sample.layout));
}

}  // namespace

bool is_on_curve(const Sample& sample) {
  static const std::set<std::string> others{"Iteration", "Exchange", "Barrier"};
  return sample.devices == 1 && sample.exchange.empty() && !others.contains(sample.kernel) &&
         !is_preparation(sample.kernel) && !is_pass_iteration(sample.kernel) &&
         has_launch_of_models(sample) && !sample.held_out && sample.trusted() &&
         !is_of_compared_format(sample);
}

double working_set_of(const Sample& sample) {
  // The schedule says which buffers the kernel touched.
  return working_set_bytes(schedule_to_measure(sample.kernel, sample.schedule), sample.shape,
                           sample.precision);
}

FitPoint fit_point(const Sample& sample, const std::optional<CacheEffect>& cache) {
  return {sample.elements, sample.seconds, static_cast<double>(bytes_per_value(sample.precision)),
          sample.relative_noise(), cache ? missing_share(*cache, working_set_of(sample)) : 0};
}

std::vector<FitPoint> fit_points(std::span<const Sample> samples, Precision precision,
                                 const std::string& key, const std::optional<CacheEffect>& cache) {
  std::vector<FitPoint> points;
  for (const Sample& sample : samples) {
    if (sample.precision == precision && is_on_curve(sample) && curve_key(sample) == key) {
      points.push_back(fit_point(sample, cache));
    }
  }
  return points;
}

}  // namespace sparsecast
