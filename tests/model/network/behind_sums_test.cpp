#include "model/network/behind_sums.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "model/network/example_network.hpp"

namespace sparsecast {
namespace {

using Traffic = std::vector<std::vector<NeighbourTraffic>>;

/// Two ranks on a host: 2 us there, 9 to others; a sum there and back 4 us and 18.
Network tree_network() {
  Network network = example_network();
  TransportCosts costs = network.transports.at(Transport::nccl);
  costs.sum.doubling_seconds[LinkClass::same_host].value = 4e-6;
  costs.sum.doubling_seconds[LinkClass::other_host].value = 18e-6;
  network.transports = {{Transport::mpi, costs}, {Transport::nccl, costs}};
  return network;
}

/// Each rank with those beside it.
Traffic chain(int ranks) {
  Traffic traffic(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank + 1 < ranks; ++rank) {
    traffic[static_cast<std::size_t>(rank)].push_back({rank + 1, 1, 1});
    traffic[static_cast<std::size_t>(rank) + 1].push_back({rank, 1, 1});
  }
  return traffic;
}

TEST(BehindSums, TheLatencyOfTwoRanksPassesWhileTheSecondWaitsForTheSum) {
  const auto hidden = latencies_behind_sums(tree_network(), Transport::mpi, chain(2), 2);
  ASSERT_EQ(hidden.size(), 2U);
  for (const double seconds : hidden) EXPECT_DOUBLE_EQ(seconds, 2e-6);
}

TEST(BehindSums, LatenciesBetweenHostsPassWhereOneOfThemIsNearerToTheRoot) {
  for (const double seconds : latencies_behind_sums(tree_network(), Transport::mpi, chain(4), 1)) {
    EXPECT_DOUBLE_EQ(seconds, 9e-6);
  }
}

TEST(BehindSums, OfTwoRanksThatAreFurthestFromTheRootNothingPasses) {
  // Ranks 1 and 2 of three hosts are told by rank 0, and wait for each other.
  const auto hidden = latencies_behind_sums(tree_network(), Transport::mpi, chain(3), 1);
  EXPECT_NEAR(hidden[0], 9e-6, 1e-18);
  EXPECT_NEAR(hidden[1], 0, 1e-18);
  EXPECT_NEAR(hidden[2], 0, 1e-18);
}

TEST(BehindSums, WhoExchangesNothingAndWhoUsesNcclHidesNothing) {
  EXPECT_EQ(latencies_behind_sums(tree_network(), Transport::mpi, Traffic(4), 2),
            std::vector<double>(4, 0));
  EXPECT_EQ(latencies_behind_sums(tree_network(), Transport::nccl, chain(4), 2),
            std::vector<double>(4, 0));
}

}  // namespace
}  // namespace sparsecast
