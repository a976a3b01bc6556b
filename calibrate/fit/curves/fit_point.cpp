#include "calibrate/fit/curves/fit_point.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast {

double measured_gbps(const FitPoint& point) {
  constexpr double bytes_per_gigabyte = 1e9;
  return point.bytes_per_value * point.elements / point.seconds / bytes_per_gigabyte;
}

double log_residual(const ThroughputCurve& curve, const FitPoint& point) {
  return std::log(
      kernel_seconds(curve, point.elements, point.bytes_per_value, point.missing_share) /
      point.seconds);
}

bool reach_memory(std::span<const FitPoint> points) {
  constexpr double mostly = 0.5;
  constexpr int least_points = 2;
  return std::ranges::count_if(points, [](const FitPoint& point) {
           return point.missing_share > mostly;
         }) >= least_points;
}

bool only_touch_memory(std::span<const FitPoint> points) {
  return !reach_memory(points) &&
         std::ranges::any_of(points, [](const FitPoint& point) { return point.missing_share > 0; });
}

std::vector<FitPoint> without_cache(std::span<const FitPoint> points) {
  std::vector<FitPoint> plain(points.begin(), points.end());
  for (FitPoint& point : plain) point.missing_share = 0;
  return plain;
}

}  // namespace sparsecast
