#include "calibrate/profile_check.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "calibrate/profile_fit.hpp"
#include "core/error.hpp"

namespace sparsecast {

std::vector<KernelCheck> check_profile(const DeviceProfile& profile,
                                       std::span<const Sample> samples) {
  std::map<std::pair<Precision, std::string>, std::vector<double>> ratios;
  for (const Sample& sample : samples) {
    const auto curves = profile.precisions.find(sample.precision);
    const std::string key = curve_key(sample);
    if (curves == profile.precisions.end() || !curves->second.curves.contains(key)) continue;
    const double expected =
        kernel_seconds(curves->second.curves.at(key).average, sample.elements,
                       static_cast<double>(bytes_per_value(sample.precision)),
                       profile.cache ? missing_share(*profile.cache, working_set_of(sample)) : 0);
    ratios[{sample.precision, key}].push_back(sample.seconds / expected);
  }
  if (ratios.empty()) {
    throw Error("profile '" + profile.name + "' has no curve of any kernel that was measured");
  }

  std::vector<KernelCheck> checks;
  for (auto& [kernel, values] : ratios) {
    KernelCheck check;
    check.precision = kernel.first;
    check.key = kernel.second;
    check.samples = static_cast<int>(values.size());
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    check.median_ratio =
        values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    constexpr double least_tolerance = 0.25;
    constexpr double errors_allowed = 3;
    const auto& quality = profile.curve(check.precision, check.key).quality;
    check.tolerance =
        std::max(least_tolerance, quality ? errors_allowed * quality->median_relative_error : 0.0);
    check.passed = check.median_ratio <= 1 + check.tolerance &&
                   check.median_ratio >= 1 / (1 + check.tolerance);
    checks.push_back(check);
  }
  return checks;
}

}  // namespace sparsecast
