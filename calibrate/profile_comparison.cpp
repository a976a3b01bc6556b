#include "calibrate/profile_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsecast {
namespace {

class ProfileComparer {
 public:
  void compare_curve(const std::string& name, const KernelCurve& first, const KernelCurve& second) {
    if (!first.quality || !second.quality) return;
    const auto error = [&](std::size_t diagonal) {
      return std::sqrt(first.quality->covariance[diagonal] + second.quality->covariance[diagonal]);
    };
    const ThroughputCurve& a = first.average;
    const ThroughputCurve& b = second.average;
    add({name + "/mu", "", a.mu, b.mu, error(0), b.mu - a.mu});
    add({name + "/sigma", "", a.sigma, b.sigma, error(4), b.sigma - a.sigma});
    add({name + "/nu", "GB/s", a.nu, b.nu, error(8), std::log(b.nu / a.nu)});
  }

  void compare_traffic(const TrafficProfile& first, const TrafficProfile& second) {
    TrafficParameters of_first = first.parameters;
    TrafficParameters of_second = second.parameters;
    const std::vector<TrafficParameter> others = parameter_list(of_second);
    for (const TrafficParameter& each : parameter_list(of_first)) {
      const auto other = std::ranges::find(others, each.name, &TrafficParameter::name);
      const auto error = first.log_errors.find(each.name);
      const auto other_error = second.log_errors.find(each.name);
      if (other == others.end() || error == first.log_errors.end() ||
          other_error == second.log_errors.end()) {
        continue;
      }
      add({"traffic/" + each.name, each.unit, *each.value, *other->value,
           std::hypot(error->second, other_error->second), std::log(*other->value / *each.value)});
    }
  }

  std::vector<ParameterComparison> take() { return std::move(comparisons_); }

 private:
  void add(ParameterComparison comparison) {
    if (comparison.difference == 0 && comparison.standard_error == 0) return;
    comparisons_.push_back(std::move(comparison));
  }

  std::vector<ParameterComparison> comparisons_;
};

}  // namespace

double ParameterComparison::deviations() const {
  if (difference == 0) return 0;
  return standard_error > 0 ? std::abs(difference) / standard_error
                            : std::numeric_limits<double>::infinity();
}

std::vector<ParameterComparison> compare_profiles(const DeviceProfile& first,
                                                  const DeviceProfile& second) {
  ProfileComparer comparer;
  for (const auto& [precision, calibrated] : first.precisions) {
    const auto other = second.precisions.find(precision);
    if (other == second.precisions.end()) continue;
    for (const auto& [key, curve] : calibrated.curves) {
      const auto found = other->second.curves.find(key);
      if (found == other->second.curves.end()) continue;
      comparer.compare_curve(std::string(to_string(precision)) + '/' + key, curve, found->second);
    }
  }
  if (first.traffic && second.traffic) comparer.compare_traffic(*first.traffic, *second.traffic);
  return comparer.take();
}

double share_within(std::span<const ParameterComparison> comparisons, double deviations) {
  if (comparisons.empty()) return 1;
  const auto within = std::ranges::count_if(comparisons, [&](const ParameterComparison& each) {
    return each.deviations() <= deviations;
  });
  return static_cast<double>(within) / static_cast<double>(comparisons.size());
}

bool agree(std::span<const ParameterComparison> comparisons) {
  constexpr double least_within_two = 0.9;
  constexpr double least_within_three = 0.97;
  return share_within(comparisons, 2) >= least_within_two &&
         share_within(comparisons, 3) >= least_within_three;
}

}  // namespace sparsecast
