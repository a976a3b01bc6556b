#include "model/network/behind_sums.hpp"

#include <algorithm>
#include <cstddef>

#include "model/network/placement.hpp"
#include "model/network/sum_tree.hpp"

namespace sparsecast {
namespace {

/// From rank 0 to each rank.
std::vector<double> ways_down(const SumCosts& sum, int ranks, int ranks_per_host) {
  const auto step = [&](LinkClass of_class) {
    const auto found = sum.doubling_seconds.find(of_class);
    return found == sum.doubling_seconds.end() ? 0 : found->second.value / 2;
  };
  const double near = step(LinkClass::same_host);
  const double far = step(LinkClass::other_host);
  std::vector<double> seconds;
  for (int rank = 0; rank < ranks; ++rank) {
    const SumSteps steps = steps_in_sum_tree(rank, ranks_per_host);
    seconds.push_back(steps.same_host * near + steps.other_host * far);
  }
  return seconds;
}

}  // namespace

std::vector<double> latencies_behind_sums(const Network& network, Transport transport,
                                          std::span<const std::vector<NeighbourTraffic>> neighbours,
                                          int ranks_per_host) {
  std::vector<double> hidden(neighbours.size(), 0);
  if (transport == Transport::nccl || neighbours.empty()) return hidden;
  const TransportCosts& costs = network.transports.at(transport);
  const auto ranks = static_cast<int>(neighbours.size());
  const std::vector<double> way = ways_down(costs.sum, ranks, ranks_per_host);
  const double longest = *std::ranges::max_element(way);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    double furthest = 0;
    double last = 0;  // when the last of its values could be there
    for (const NeighbourTraffic& each : neighbours[place]) {
      const LinkClass of_class = link_between(rank, each.rank, ranks_per_host);
      const double latency = costs.links.at(of_class).latency_seconds.value;
      furthest = std::max(furthest, latency);
      last = std::max(last, way[static_cast<std::size_t>(each.rank)] + latency);
    }
    // The next sum would be down again after twice the longest way.
    const double late = last + way[place] - 2 * longest;
    hidden[place] = std::clamp(furthest - late, 0.0, furthest);
  }
  return hidden;
}

}  // namespace sparsecast
