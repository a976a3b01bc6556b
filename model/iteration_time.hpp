#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/schedule.hpp"
#include "model/device_profile.hpp"

namespace sparsecast {

enum class CurveKind { average, maximum };

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
/// curve's layout ("csr", "bcsr4").
IterationTime price_iteration(const Schedule& schedule, std::span<const SegmentShape> segments,
                              const DeviceProfile& profile, Precision precision,
                              const std::string& layout, CurveKind curve);

/// x unknowns and e elements cut into n equal segments, as in equation 11.
std::vector<SegmentShape> equal_segments(double unknowns, double elements, int block_size,
                                         int devices);

/// Equation 8 and 10: flops of an iteration of Algorithm 1, raw (d = 1) or effective.
double iteration_flops(double unknowns, double elements, double block_density = 1);

}  // namespace sparsecast
