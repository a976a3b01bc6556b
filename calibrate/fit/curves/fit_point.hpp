#pragma once

#include <span>
#include <vector>

#include "model/paper/throughput_curve.hpp"

namespace sparsecast {

/// One measured kernel time.
struct FitPoint {
  double elements = 0;         ///< transferred elements m
  double seconds = 0;          ///< median time of one run
  double bytes_per_value = 4;  ///< s of equation 7
  /// Standard error of `seconds`, relative. Noisier points weigh less; 0 means as good as any.
  double relative_noise = 0;
  /// Share of the elements that came from memory beyond the cache (`CacheEffect`); 0: none.
  double missing_share = 0;
};

/// Throughput of the point, GB/s.
double measured_gbps(const FitPoint& point);

/// log(T_curve / T_measured): how far the point's throughput lies above the curve.
double log_residual(const ThroughputCurve& curve, const FitPoint& point);

/// Whether the points tell how fast the memory behind the cache is.
bool reach_memory(std::span<const FitPoint> points);

/// Whether they cannot tell, but say that some came from there.
bool only_touch_memory(std::span<const FitPoint> points);

/// The points as if there were no cache.
std::vector<FitPoint> without_cache(std::span<const FitPoint> points);

}  // namespace sparsecast
