#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/schedule/schedule.hpp"
#include "core/workload/cpu_execution.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_work.hpp"
#include "model/links/parallel_pricer.hpp"
#include "model/network/network.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/interval.hpp"
#include "predict/prediction.hpp"

/// @file
/// The traffic model's forecast for several GPUs, with its interval.

namespace sparsecast {

struct ParallelForecast {
  TrafficPrice price;
  std::optional<Interval> interval;  ///< 90 %
  /// Not empty where the profile's link is of another number of devices, or its network was not
  /// measured: a sentence.
  std::string extrapolation;
  std::string novelty;  ///< as `novelty_warning`, where there is an interval
};

/// By what devices of a profile exchange over its network: MPI on CPUs, on GPUs the first of NCCL,
/// the memory of their hosts and GPU-aware MPI that the network knows.
Transport transport_on(const DeviceProfile& profile);

/// How ranks exchange by it: those of CPUs halos, as by NCCL.
ExchangeMode exchange_by(Transport transport);

/// What carries the messages of ranks that exchange so: the inverse for GPUs. Nothing where they
/// reach each other's memory (`halo`, and `peer`).
std::optional<Transport> transport_of(ExchangeMode mode);

/// The profile for ranks whose messages go by this transport, which its network knows, within a
/// host, too.
DeviceProfile joined_by(DeviceProfile profile, Transport transport);

/// How so many GPUs get their kernels: as graphs, but by their hosts where these exchange.
LaunchMode launch_on(const DeviceProfile& profile, int devices);

/// Throws `Error` where the profile has no traffic model, or knows neither link nor network for so
/// many devices.
void require_links(const DeviceProfile& profile, int devices);

/// How each of several CPUs runs its segment; nothing where the profile is of a GPU.
std::optional<CpuExecution> cpu_execution_on(const DeviceProfile& profile,
                                             std::span<const SegmentWork> segments);

/// Prices the iterations of a schedule on devices with these segments. On CPUs, and where a network
/// joins GPUs (`is_on_network`), by that, as `launch_on` says; else launched as graphs, with the
/// profile's link for so many, or the nearest number that was measured: then its costs stand, the
/// interval is its widest of all sizes, and beyond that has exchanges and sums grow (or shrink, of
/// fewer devices) in proportion to the number of devices. Intervals are those of the link, no
/// narrower than those of one GPU; where it has none of that size, the latter. Throws `Error` where
/// the profile has no traffic model, no link, or lacks what the price depends on.
ParallelForecast price_on_several(const DeviceProfile& profile, const Schedule& schedule,
                                  std::vector<SegmentWork> segments, Precision precision,
                                  const Layout& layout, ExchangeMode mode);

/// The same by a pricer of these segments. Devices that a network joins (`is_on_network`) are
/// priced by that, with the interval of one device for what each does, and of the network's
/// numbers, 1.64 standard errors either way, for what they wait for.
ParallelForecast price_on_several(const DeviceProfile& profile, const PricedSchedule& schedule,
                                  const ParallelPricer& pricer,
                                  std::span<const SegmentWork> segments, Precision precision,
                                  const Layout& layout);

}  // namespace sparsecast
