#include "model/paper/throughput_curve.hpp"

#include <cmath>

namespace sparsecast {

namespace {
constexpr double bytes_per_gigabyte = 1e9;
}

double throughput_gbps(const ThroughputCurve& curve, double elements) {
  if (!(elements > 0)) return 0;
  return curve.nu / (1 + std::exp(-(std::log2(elements) - curve.mu) / curve.sigma));
}

double kernel_seconds(const ThroughputCurve& curve, double elements, double bytes_per_value) {
  if (!(elements > 0)) return fixed_seconds(curve, bytes_per_value);
  return bytes_per_value * elements / (throughput_gbps(curve, elements) * bytes_per_gigabyte);
}

double kernel_seconds(const ThroughputCurve& curve, double elements, double bytes_per_value,
                      double missing_share) {
  const double hit = kernel_seconds(curve, elements, bytes_per_value);
  if (!(curve.memory_nu > 0)) return hit;
  const double bytes_missing = bytes_per_value * elements * missing_share;
  return hit + bytes_missing * (1 / curve.memory_nu - 1 / curve.nu) / bytes_per_gigabyte;
}

double half_performance_elements(const ThroughputCurve& curve) {
  return std::exp2(curve.mu);
}

double fixed_seconds(const ThroughputCurve& curve, double bytes_per_value) {
  return bytes_per_value * half_performance_elements(curve) / (curve.nu * bytes_per_gigabyte);
}

}  // namespace sparsecast
