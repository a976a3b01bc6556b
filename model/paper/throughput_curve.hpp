#pragma once

namespace sparsecast {

/// Equation 3: throughput of a bandwidth-limited kernel over the number m of transferred elements,
/// `B(m) = nu / (1 + exp(-(log2 m - mu) / sigma))`.
struct ThroughputCurve {
  double mu = 0;     ///< log2 of the m at which half of nu is reached
  double sigma = 0;  ///< width, in octaves; 1/ln 2 makes it the law T = T0 + s*m/nu
  double nu = 0;     ///< largest throughput, GB/s (1e9 bytes per second)
  /// Not in the paper: largest throughput of what misses the cache (`CacheEffect`), GB/s; 0: no
  /// cache was seen, and all is as fast as nu.
  double memory_nu = 0;
};

/// 1/ln 2: the sigma at which the curve is the latency-bandwidth law. Below it the modelled time
/// rises again as m falls to 0, so new fits are bounded here.
inline constexpr double latency_bandwidth_sigma = 1.4426950408889634;

/// B(m) in GB/s; 0 for m = 0.
double throughput_gbps(const ThroughputCurve& curve, double elements);

/// Equation 7: seconds to transfer m elements of s bytes, `T = s * m / B(m)`. For m = 0 the limit
/// of the latency-bandwidth law with the same half-performance length: `fixed_seconds`.
double kernel_seconds(const ThroughputCurve& curve, double elements, double bytes_per_value);

/// The same where this share of the elements misses the cache: they cost `s*m/memory_nu` in place
/// of `s*m/nu`, and the curve is otherwise what it is.
double kernel_seconds(const ThroughputCurve& curve, double elements, double bytes_per_value,
                      double missing_share);

/// Half-performance length `2^mu` in elements, and the fixed cost `T0 = s * 2^mu / nu` in seconds
/// of the latency-bandwidth law.
double half_performance_elements(const ThroughputCurve& curve);
double fixed_seconds(const ThroughputCurve& curve, double bytes_per_value);

}  // namespace sparsecast
