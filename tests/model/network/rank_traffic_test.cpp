#include "model/network/rank_traffic.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.hpp"
#include "model/network/example_network.hpp"

namespace sparsecast {
namespace {

using Traffic = std::vector<std::vector<NeighbourTraffic>>;

ParallelCosts costs_of(const Traffic& traffic, int ranks_per_host = 2,
                       const Network& network = example_network()) {
  return costs_on_network(network, Transport::nccl, traffic, ranks_per_host);
}

TEST(RankTraffic, OneNeighbourOnTheHostCostsTheFixedTimeItsLatencyAndItsBytes) {
  const ParallelCosts costs = costs_of({{{1, 1e6, 2e6}}, {{0, 2e6, 1e6}}});
  ASSERT_EQ(costs.exchanges.size(), 2U);
  for (const ParallelCosts::Exchange& each : costs.exchanges) {
    EXPECT_DOUBLE_EQ(each.fixed_seconds, 5e-6 + 2e-6);
    EXPECT_DOUBLE_EQ(each.moving_seconds, 2e6 / 100e9);  // both ways at once
    EXPECT_EQ(each.hidden, 0);
  }
  EXPECT_DOUBLE_EQ(costs.sum_seconds, 4e-6 + 3e-6);
}

TEST(RankTraffic, FurtherNeighboursCostAMessageEachAndTheFurthestALatency) {
  // Ranks 0 and 1, 2 and 3 share a host; 1 and 2 do not.
  const ParallelCosts costs = costs_of({{{1, 1e5, 1e5}},
                                        {{0, 1e5, 1e5}, {2, 1e5, 1e5}},
                                        {{1, 1e5, 1e5}, {3, 1e5, 1e5}},
                                        {{2, 1e5, 1e5}}});
  EXPECT_DOUBLE_EQ(costs.exchanges[0].fixed_seconds, 5e-6 + 2e-6);
  EXPECT_DOUBLE_EQ(costs.exchanges[1].fixed_seconds, 5e-6 + 1e-6 + 9e-6);
  EXPECT_DOUBLE_EQ(costs.exchanges[1].moving_seconds, 1e5 / 20e9);
  EXPECT_DOUBLE_EQ(costs.exchanges[2].fixed_seconds, costs.exchanges[1].fixed_seconds);
  EXPECT_DOUBLE_EQ(costs.sum_seconds, 4e-6 + 3e-6 + 1e-5);
}

TEST(RankTraffic, LargeMessagesWaitForTheirReceivers) {
  Network network = example_network();
  MessageCosts& near = network.transports.at(Transport::nccl).links.at(LinkClass::same_host);
  near.large_bytes = 4096;
  near.large_seconds = {3e-6, 1e-6};
  const auto fixed = [&](double received, double sent) {
    return costs_of({{{1, received, sent}}, {{0, sent, received}}}, 2, network)
        .exchanges[0]
        .fixed_seconds;
  };
  EXPECT_DOUBLE_EQ(fixed(4096, 4096), 5e-6 + 2e-6);
  EXPECT_DOUBLE_EQ(fixed(4097, 8), 5e-6 + 5e-6);
  EXPECT_DOUBLE_EQ(fixed(8, 4097), 5e-6 + 5e-6);
  // The far link has no such limit, and waits longer anyway.
  EXPECT_DOUBLE_EQ(
      costs_of({{{1, 1e6, 1e6}}, {{0, 1e6, 1e6}, {2, 1e6, 1e6}}, {{1, 1e6, 1e6}}}, 2, network)
          .exchanges[1]
          .fixed_seconds,
      5e-6 + 1e-6 + 9e-6);
  EXPECT_DOUBLE_EQ(shifted(network, 1)
                       .transports.at(Transport::nccl)
                       .links.at(LinkClass::same_host)
                       .large_seconds.value,
                   4e-6);
}

TEST(RankTraffic, RanksOfAHostShareItsAdapters) {
  const Traffic across{{{2, 1e6, 1e6}}, {{3, 1e6, 1e6}}, {{0, 1e6, 1e6}}, {{1, 1e6, 1e6}}};
  EXPECT_DOUBLE_EQ(costs_of(across).exchanges[0].moving_seconds, 2e6 / 20e9);
  Network two = example_network();
  two.adapters_per_host = 2;
  EXPECT_DOUBLE_EQ(costs_of(across, 2, two).exchanges[0].moving_seconds, 1e6 / 20e9);
  // Nobody says how fast an adapter is: as fast as a link.
  two.adapters_per_host = 1;
  two.adapter_gbps = 0;
  EXPECT_DOUBLE_EQ(costs_of(across, 2, two).exchanges[0].moving_seconds, 2e6 / 20e9);
}

TEST(RankTraffic, SumsGrowByADoublingOfRanksOnAHostAndOfHosts) {
  const auto sum_of = [](int ranks, int per_host) {
    return costs_of(Traffic(static_cast<std::size_t>(ranks)), per_host).sum_seconds;
  };
  EXPECT_DOUBLE_EQ(sum_of(8, 8), 4e-6 + 3 * 3e-6);
  EXPECT_DOUBLE_EQ(sum_of(5, 8), 4e-6 + 3 * 3e-6);
  EXPECT_DOUBLE_EQ(sum_of(9, 8), 4e-6 + 3 * 3e-6 + 1e-5);
  EXPECT_DOUBLE_EQ(sum_of(4096, 8), 4e-6 + 3 * 3e-6 + 9 * 1e-5);
  EXPECT_DOUBLE_EQ(sum_of(16, 1), 4e-6 + 4 * 1e-5);
}

TEST(RankTraffic, WhoNeedsNothingOfOthersExchangesNothing) {
  const ParallelCosts costs = costs_of({{}, {}});
  EXPECT_EQ(costs.exchanges[0].fixed_seconds, 0);
  EXPECT_EQ(costs.exchanges[0].moving_seconds, 0);
}

TEST(RankTraffic, TheSlowestOfManyIsSlower) {
  EXPECT_DOUBLE_EQ(costs_of(Traffic(64)).uneven, 0.02 * expected_maximum(64));
}

TEST(RankTraffic, WhatANetworkDoesNotKnowIsRefused) {
  Network network = example_network();
  EXPECT_THROW(costs_on_network(network, Transport::mpi, Traffic(2), 2), Error);
  EXPECT_THROW(costs_on_network(network, Transport::nccl, Traffic(2), 0), Error);
  TransportCosts& costs = network.transports[Transport::nccl];
  costs.links.erase(LinkClass::other_host);
  costs.sum.doubling_seconds.erase(LinkClass::other_host);
  EXPECT_NO_THROW(costs_of({{{1, 1, 1}}, {{0, 1, 1}}}, 2, network));
  EXPECT_THROW(costs_of({{{1, 1, 1}}, {{0, 1, 1}}}, 1, network), Error);
  EXPECT_THROW(costs_of(Traffic(2), 1, network), Error);  // sums cross hosts, too
}

TEST(RankTraffic, CostsAreShiftedByTheirErrorsAndStayPossible) {
  const TransportCosts high = shifted(example_network(), 2).transports.at(Transport::nccl);
  EXPECT_DOUBLE_EQ(high.fixed_seconds.value, 7e-6);
  EXPECT_DOUBLE_EQ(high.sum.doubling_seconds.at(LinkClass::other_host).value, 1.4e-5);
  EXPECT_LT(high.links.at(LinkClass::same_host).gbps.value, 100);
  const TransportCosts low = shifted(example_network(), -100).transports.at(Transport::nccl);
  EXPECT_EQ(low.fixed_seconds.value, 0);
  EXPECT_GT(low.links.at(LinkClass::same_host).gbps.value, 100);
}

// H. L. Harter, Expected values of normal order statistics, 1961: 0.5642, 1.5388, 2.5076.
TEST(RankTraffic, TheLargestOfNormalNumbersIsThatOfTables) {
  EXPECT_EQ(expected_maximum(1), 0);
  EXPECT_NEAR(expected_maximum(2), 0.5642, 0.03);
  EXPECT_NEAR(expected_maximum(10), 1.5388, 0.01);
  EXPECT_NEAR(expected_maximum(100), 2.5076, 0.01);
  EXPECT_GT(expected_maximum(4096), expected_maximum(2048));
}

}  // namespace
}  // namespace sparsecast
