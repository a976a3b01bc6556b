#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/workload/cpu_execution.hpp"
#include "core/workload/launch_mode.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_work.hpp"
#include "model/links/link_costs.hpp"
#include "model/links/parallel_costs.hpp"
#include "model/traffic/priced_schedule.hpp"
#include "model/traffic/traffic_pricer.hpp"

/// @file
/// The traffic model on several GPUs, or CPUs: the segments that wait for each other at every sum,
/// and what they exchange. Equations: docs/model.md, "Several GPUs".

namespace sparsecast {

/// Prices the iterations of one schedule on several GPUs or CPUs. Like
/// `TrafficPricer` it works out what depends on no parameter once; the schedule must outlive it.
class ParallelPricer {
 public:
  /// One segment a device, at least two. What they receive and send must be of that mode. `launch`
  /// is not persistent. With `cpu` the devices are CPUs, each of which runs its segment so; what is
  /// said of GPUs is not read.
  ParallelPricer(const PricedSchedule& schedule, std::vector<SegmentWork> segments,
                 const GpuShape& gpu, Precision precision, const Layout& layout, ExchangeMode mode,
                 std::optional<CpuExecution> cpu = {}, LaunchMode launch = LaunchMode::graph);

  ParallelPricer(PricedSchedule&&, std::vector<SegmentWork>, const GpuShape&, Precision,
                 const Layout&, ExchangeMode, std::optional<CpuExecution> = {},
                 LaunchMode = LaunchMode::graph) = delete;

  /// The steps are those of the device that takes longest until the next sum over all. Throws
  /// `Error` that names what parameters lack.
  TrafficPrice price(const TrafficParameters& parameters, const ParallelCosts& costs) const;

  /// The same by each of several costs, for which the devices are priced once.
  std::vector<TrafficPrice> prices(const TrafficParameters& parameters,
                                   std::span<const ParallelCosts> costs) const;

  /// What links between these devices cost. Throws `Error` where the mode is not among them.
  ParallelCosts costs(const LinkCosts& link) const;

  /// As those of `TrafficPricer`, of all segments.
  std::vector<std::string> parameter_groups() const;

  /// Bytes that count for the exchange of a device: the larger of what it receives and sends over
  /// links of its own; staged, what it sends to the host's memory and then receives from there.
  double exchanged_bytes(std::size_t device) const;

 private:
  /// From what each of `pricers_` says.
  TrafficPrice together(std::span<const TrafficPrice> prices, const ParallelCosts& costs) const;

  /// Of what the exchange before a product adds to a device's time.
  struct Exchange {
    double seconds = 0;
    double hidden_seconds = 0;
  };
  Exchange exchange_of(std::size_t device, double product_seconds,
                       const ParallelCosts& costs) const;

  const PricedSchedule& schedule_;
  std::vector<SegmentWork> segments_;
  Precision precision_;
  ExchangeMode mode_;
  std::vector<TrafficPricer> pricers_;  ///< of devices that do not do the same as the one before
  std::vector<std::size_t> pricer_of_;  ///< by device
};

}  // namespace sparsecast
