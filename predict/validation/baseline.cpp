#include "predict/validation/baseline.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "model/step_kinds.hpp"

namespace sparsecast {

namespace {

constexpr double bytes_per_gigabyte = 1e9;

bool is_product(const Step& step) {
  return step.traffic.values_per_element > 0;
}

/// Fixed cost of a kernel. A product's is the least of SpMV's in all layouts: they launch alike.
double kernel_fixed_seconds(const Step& step, const PrecisionProfile& calibrated,
                            const std::string& profile_name, double value_bytes) {
  const std::string name = is_product(step) ? "SpMV" : step.name;
  double least = -1;
  for (const auto& [key, curve] : calibrated.curves) {
    if (key != name && !key.starts_with(name + "/")) continue;
    const double seconds = fixed_seconds(curve.average, value_bytes);
    if (least < 0 || seconds < least) least = seconds;
  }
  if (least < 0) {
    throw Error("profile '" + profile_name + "' has no curve '" + name +
                "', which the baseline needs");
  }
  return least;
}

}  // namespace

double baseline_seconds(const Schedule& schedule, std::span<const SegmentShape> segments,
                        const DeviceProfile& profile, Precision precision) {
  const PrecisionProfile& calibrated = profile.at(precision);
  const double value_bytes = static_cast<double>(bytes_per_value(precision));
  const bool several = segments.size() > 1;

  double fixed = 0;
  double exchange = 0;
  double bandwidth_gbps = 0;
  std::vector<double> bytes(segments.size(), 0.0);
  for (const Step& step : schedule.iteration) {
    if (step.guard) continue;
    if (runs_kernel(step)) {
      fixed += kernel_fixed_seconds(step, calibrated, profile.name, value_bytes);
      for (std::size_t i = 0; i < segments.size(); ++i) {
        bytes[i] += bytes_moved(step, segments[i], precision).total();
      }
    }
    if (step.kind == StepKind::kernel && !is_product(step)) {
      bandwidth_gbps = std::max(bandwidth_gbps, profile.curve(precision, step.name).average.nu);
    }
    if (!several) continue;
    if (step.kind != StepKind::kernel && step.kind != StepKind::host_scalar &&
        step.kind != StepKind::check) {
      fixed += profile.link(static_cast<int>(segments.size())).sync_seconds;
    }
    if (step.kind == StepKind::exchange) {
      const ThroughputCurve& link =
          profile.link(static_cast<int>(segments.size())).exchange.average;
      exchange +=
          fixed_seconds(link, value_bytes) +
          bytes_moved(step, segments[0], precision).exchanged / (link.nu * bytes_per_gigabyte);
    }
  }

  if (bandwidth_gbps == 0) {  // a product alone
    for (const auto& [key, curve] : calibrated.curves) {
      if (key.starts_with("CG")) bandwidth_gbps = std::max(bandwidth_gbps, curve.average.nu);
    }
  }
  const bool shared = several && profile.link(static_cast<int>(segments.size())).shared_bus;
  double moved = 0;
  for (const double each : bytes) moved = shared ? moved + each : std::max(moved, each);
  return fixed + exchange + moved / (bandwidth_gbps * bytes_per_gigabyte);
}

}  // namespace sparsecast
