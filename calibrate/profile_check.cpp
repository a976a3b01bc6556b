#include "calibrate/profile_check.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "calibrate/fit/curves/curve_samples.hpp"
#include "calibrate/fit/median.hpp"
#include "calibrate/fit/traffic_samples.hpp"
#include "core/base/error.hpp"
#include "model/traffic/traffic_pricer.hpp"

namespace sparsecast {

namespace {

constexpr double errors_allowed = 3;

/// What the profile's best model says of a sample's time, and the tolerance that goes with it.
struct Expectation {
  double seconds = 0;
  double tolerance = 0;
};

/// Nothing where the traffic model does not price the sample.
std::optional<Expectation> by_traffic(const DeviceProfile& profile, const Sample& sample) {
  if (!profile.traffic) return std::nullopt;
  const std::optional<TrafficPoint> point = traffic_point(sample, profile.traffic->cpu_threads);
  if (!point) return std::nullopt;
  const TrafficPricer pricer(point->schedule, point->launch, point->segment, profile.traffic->gpu,
                             point->precision);
  constexpr double least_tolerance = 0.15;
  try {
    return Expectation{pricer.price(profile.traffic->parameters).seconds,
                       std::max(least_tolerance, errors_allowed * profile.traffic->median_error)};
  } catch (const Error&) {
    return std::nullopt;  // lacks its parameters
  }
}

std::optional<Expectation> by_curve(const DeviceProfile& profile, const Sample& sample) {
  const auto curves = profile.precisions.find(sample.precision);
  if (curves == profile.precisions.end()) return std::nullopt;
  const auto curve = curves->second.curves.find(curve_key(sample));
  if (curve == curves->second.curves.end()) return std::nullopt;
  constexpr double least_tolerance = 0.25;
  const auto& quality = curve->second.quality;
  return Expectation{
      kernel_seconds(curve->second.average, sample.elements,
                     static_cast<double>(bytes_per_value(sample.precision)),
                     profile.cache ? missing_share(*profile.cache, working_set_of(sample)) : 0),
      std::max(least_tolerance, quality ? errors_allowed * quality->median_relative_error : 0.0)};
}

}  // namespace

std::vector<KernelCheck> check_profile(const DeviceProfile& profile,
                                       std::span<const Sample> samples) {
  struct Ratios {
    std::vector<double> all;
    double tolerance = 0;
  };
  std::map<std::pair<Precision, std::string>, Ratios> kernels;
  for (const Sample& sample : samples) {
    std::optional<Expectation> expected = by_traffic(profile, sample);
    if (!expected) expected = by_curve(profile, sample);
    if (!expected) continue;
    Ratios& ratios = kernels[{sample.precision, curve_key(sample)}];
    ratios.all.push_back(sample.seconds / expected->seconds);
    ratios.tolerance = expected->tolerance;
  }
  if (kernels.empty()) {
    throw Error("profile '" + profile.name + "' knows no kernel that was measured");
  }

  std::vector<KernelCheck> checks;
  for (auto& [kernel, ratios] : kernels) {
    KernelCheck check;
    check.precision = kernel.first;
    check.key = kernel.second;
    check.samples = static_cast<int>(ratios.all.size());
    check.median_ratio = median(std::move(ratios.all));
    check.tolerance = ratios.tolerance;
    check.passed = check.median_ratio <= 1 + check.tolerance &&
                   check.median_ratio >= 1 / (1 + check.tolerance);
    checks.push_back(check);
  }
  return checks;
}

}  // namespace sparsecast
