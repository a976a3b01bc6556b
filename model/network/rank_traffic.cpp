#include "model/network/rank_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "core/base/error.hpp"
#include "model/network/network_file.hpp"
#include "model/network/placement.hpp"
#include "model/network/sum_tree.hpp"

namespace sparsecast {
namespace {

constexpr double giga = 1e9;

/// Bytes each way.
struct BothWays {
  double received = 0;
  double sent = 0;

  void add(const NeighbourTraffic& traffic) {
    received += traffic.received_bytes;
    sent += traffic.sent_bytes;
  }
  /// Links carry both ways at once.
  double seconds(double gbps) const { return std::max(received, sent) / (giga * gbps); }
};

std::string text_of(LinkClass of_class) {
  return of_class == LinkClass::same_host ? "of one host" : "of different hosts";
}

[[noreturn]] void refuse(const Network& network, Transport transport, LinkClass of_class) {
  throw Error("network '" + network.name + "' does not know what ranks " + text_of(of_class) +
              " cost each other by " + std::string(to_string(transport)) +
              "; measure it on such ranks (mpirun -n 4 sparsecast calibrate --links), or use "
              "another network");
}

/// Prices the exchanges of one transport.
class RankExchanges {
 public:
  RankExchanges(const Network& network, Transport transport, const TransportCosts& costs,
                std::span<const std::vector<NeighbourTraffic>> neighbours, int ranks_per_host)
      : network_(network),
        transport_(transport),
        costs_(costs),
        neighbours_(neighbours),
        ranks_per_host_(ranks_per_host),
        of_hosts_(neighbours.empty() ? 0 : place_of_host(ranks() - 1) + 1) {
    for (int rank = 0; rank < ranks(); ++rank) {
      for (const NeighbourTraffic& each : of(rank)) {
        if (link_to(rank, each) == LinkClass::other_host) of_hosts_[place_of_host(rank)].add(each);
      }
    }
  }

  ParallelCosts::Exchange exchange(int rank) const {
    const std::vector<NeighbourTraffic>& all = of(rank);
    if (all.empty()) return {};
    std::map<LinkClass, BothWays> by_class;
    double latency = 0;
    for (const NeighbourTraffic& each : all) {
      const LinkClass of_class = link_to(rank, each);
      by_class[of_class].add(each);
      latency = std::max(latency, costs_of(of_class).seconds_before(
                                      std::max(each.received_bytes, each.sent_bytes)));
    }
    double moving = 0;
    for (const auto& [of_class, bytes] : by_class) {
      const MessageCosts& link = costs_of(of_class);
      moving = std::max(moving, bytes.seconds(link.gbps.value));
      if (of_class == LinkClass::same_host) continue;
      const double adapters = network_.adapters_per_host *
                              (network_.adapter_gbps > 0 ? network_.adapter_gbps : link.gbps.value);
      moving = std::max(moving, of_hosts_[place_of_host(rank)].seconds(adapters));
    }
    const double further = static_cast<double>(all.size() - 1) * costs_.message_seconds.value;
    return {costs_.fixed_seconds.value + further + latency, moving, 0};
  }

  double sum_seconds() const {
    const SumSteps steps = steps_of_sum(transport_, ranks(), ranks_per_host_);
    const auto step = [&](LinkClass of_class) {
      const auto found = costs_.sum.doubling_seconds.find(of_class);
      if (found == costs_.sum.doubling_seconds.end()) refuse(network_, transport_, of_class);
      return found->second.value;
    };
    double seconds = costs_.sum.fixed_seconds.value;
    if (steps.same_host > 0) seconds += steps.same_host * step(LinkClass::same_host);
    if (steps.other_host > 0) seconds += steps.other_host * step(LinkClass::other_host);
    return seconds;
  }

 private:
  int ranks() const { return static_cast<int>(neighbours_.size()); }
  std::size_t place_of_host(int rank) const {
    return static_cast<std::size_t>(host_of(rank, ranks_per_host_));
  }
  const std::vector<NeighbourTraffic>& of(int rank) const {
    return neighbours_[static_cast<std::size_t>(rank)];
  }
  LinkClass link_to(int rank, const NeighbourTraffic& other) const {
    return link_between(rank, other.rank, ranks_per_host_);
  }
  const MessageCosts& costs_of(LinkClass of_class) const {
    const auto found = costs_.links.find(of_class);
    if (found == costs_.links.end()) refuse(network_, transport_, of_class);
    return found->second;
  }

  const Network& network_;
  Transport transport_;
  const TransportCosts& costs_;
  std::span<const std::vector<NeighbourTraffic>> neighbours_;
  int ranks_per_host_;
  std::vector<BothWays> of_hosts_;  ///< with other hosts
};

/// The number that a normal distribution of deviation 1 stays below with this probability.
double normal_quantile(double probability) {
  double low = -10;
  double high = 10;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    const double below = std::erfc(-middle / std::numbers::sqrt2) / 2;
    (below < probability ? low : high) = middle;
  }
  return low;
}

}  // namespace

Network shifted(const Network& network, double deviations) {
  Network result = network;
  const auto cost = [&](Estimate& seconds) {
    seconds.value = std::max(0.0, seconds.value + deviations * seconds.error);
  };
  for (auto& [transport, costs] : result.transports) {
    cost(costs.fixed_seconds);
    cost(costs.message_seconds);
    cost(costs.sum.fixed_seconds);
    for (auto& [of_class, seconds] : costs.sum.doubling_seconds) cost(seconds);
    for (auto& [of_class, link] : costs.links) {
      cost(link.latency_seconds);
      cost(link.large_seconds);
      // By the error of its logarithm: however uncertain, it stays above 0.
      link.gbps.value *= std::exp(-deviations * link.gbps.error / link.gbps.value);
    }
  }
  return result;
}

double expected_maximum(int n) {
  if (n < 2) return 0;
  return normal_quantile((n - 0.375) / (n + 0.25));
}

ParallelCosts costs_on_network(const Network& network, Transport transport,
                               std::span<const std::vector<NeighbourTraffic>> neighbours,
                               int ranks_per_host) {
  if (ranks_per_host < 1) {
    throw Error("network: " + std::to_string(ranks_per_host) +
                " ranks on a host; expected at least 1");
  }
  const auto of_transport = network.transports.find(transport);
  if (of_transport == network.transports.end()) {
    throw Error("network '" + network.name + "' does not know " +
                std::string(to_string(transport)) +
                "; measure it (mpirun -n 2 sparsecast calibrate --links), or use another network");
  }
  const RankExchanges exchanges(network, transport, of_transport->second, neighbours,
                                ranks_per_host);
  ParallelCosts costs;
  const auto ranks = static_cast<int>(neighbours.size());
  for (int rank = 0; rank < ranks; ++rank) costs.exchanges.push_back(exchanges.exchange(rank));
  costs.sum_seconds = exchanges.sum_seconds();
  costs.uneven = network.deviation * expected_maximum(ranks);
  return costs;
}

}  // namespace sparsecast
