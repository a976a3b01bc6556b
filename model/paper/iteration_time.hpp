#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/schedule.hpp"
#include "core/workload/layout.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

enum class CurveKind { average, maximum };
/// "average", "maximum".
std::string_view to_string(CurveKind curve);

/// Where the time of one iteration goes, in seconds.
struct TimeParts {
  double spmv = 0;
  double vector_kernels = 0;
  double reductions = 0;
  double exchange = 0;
  double synchronisation = 0;

  double total() const { return spmv + vector_kernels + reductions + exchange + synchronisation; }
};

/// The price of one iteration.
struct IterationTime {
  TimeParts parts;
  double seconds = 0;  ///< parts.total()
  double flops = 0;    ///< raw: equation 8, all devices
  /// Steps whose m lies outside the range in which the profile's curve was measured, one sentence
  /// each; empty where nothing is known of the range.
  std::vector<std::string> warnings;
};

/// Equations 6 to 9 and 11: the price of one iteration of `schedule` on devices that own these
/// segments (one entry: one device, no exchange, no synchronisation). The slowest segment counts;
/// the exchange and 4 synchronisations are added for several. `layout` is the name of the SpMV
/// curve's layout ("csr", "bcsr4"). Where the profile knows a cache (`CacheEffect`), what the
/// working set of a whole iteration does not leave in it costs memory throughput; without, the
/// price is the paper's.
IterationTime price_iteration(const Schedule& schedule, std::span<const SegmentShape> segments,
                              const DeviceProfile& profile, Precision precision,
                              const std::string& layout, CurveKind curve);

/// The same price with the curves looked up once, for many sizes: one schedule on one number of
/// devices of one profile, which must outlive it. Throws `Error` where the profile lacks a curve,
/// the precision or, for several devices, a link.
class IterationPricer {
 public:
  IterationPricer(const Schedule& schedule, int devices, const DeviceProfile& profile,
                  Precision precision, const std::string& layout, CurveKind curve);

  /// As `price_iteration`; one segment a device.
  IterationTime price(std::span<const SegmentShape> segments) const;
  /// Only where the time goes: no flops, no warnings.
  TimeParts parts(std::span<const SegmentShape> segments) const;

 private:
  /// A step that runs a kernel on each segment.
  struct KernelTerm {
    std::string key;
    const KernelCurve* curve = nullptr;  ///< absent where the step is never charged
    double TimeParts::*part = nullptr;
    LinearCount elements;
    LinearCount flops;
    double charged = 1;
  };

  const ThroughputCurve& chosen(const KernelCurve& curve) const;
  /// Share of a segment's traffic that misses the cache, 0 where the profile knows none.
  double missing_share_of(const SegmentShape& segment) const;
  double kernel_elements(const KernelTerm& term, const SegmentShape& segment) const;
  double exchanged_elements(const SegmentShape& segment) const;
  std::vector<std::string> warnings(std::span<const SegmentShape> segments) const;

  std::vector<KernelTerm> kernels_;
  int devices_ = 1;
  double bytes_per_value_ = 0;
  CurveKind curve_ = CurveKind::average;
  const CacheEffect* cache_ = nullptr;
  /// Bytes of the working set for one unknown, one element and so on: it is linear in all.
  SegmentShape working_set_bytes_per_;
  const Link* link_ = nullptr;  ///< absent for one device
  std::string extrapolation_;   ///< warning; empty where the link was measured
  double exchanges_charged_ = 0;
  double exchanged_per_total_unknown_ = 0;
  double synchronisations_charged_ = 0;
};

/// x unknowns and e elements of N x N blocks cut into n equal segments, as in equation 11.
std::vector<SegmentShape> equal_segments(double unknowns, double elements, const Layout& layout,
                                         int devices);

/// Equation 8 and 10: flops of an iteration of Algorithm 1, raw (d = 1) or effective.
double iteration_flops(double unknowns, double elements, double block_density = 1);

}  // namespace sparsecast
