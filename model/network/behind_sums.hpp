#pragma once

#include <span>
#include <vector>

#include "model/network/network.hpp"
#include "model/network/rank_traffic.hpp"

namespace sparsecast {

/// Seconds that the exchange of each rank takes less (`ParallelCosts::Exchange::fixed_seconds`)
/// where a sum precedes it and another follows: the tree of `Communicator::sum` tells ranks near
/// its root first and hears of them last, and while they wait for it, latencies pass. 0 by NCCL,
/// whose order is not known, and for ranks that exchange nothing. Of what `costs_on_network` can
/// price.
std::vector<double> latencies_behind_sums(const Network& network, Transport transport,
                                          std::span<const std::vector<NeighbourTraffic>> neighbours,
                                          int ranks_per_host);

}  // namespace sparsecast
