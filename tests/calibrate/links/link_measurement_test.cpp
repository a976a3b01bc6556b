#include "calibrate/links/link_measurement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "calibrate/links/link_law_fit.hpp"
#include "core/engine/ranks/virtual_ranks.hpp"

namespace sparsecast {
namespace {

constexpr VirtualRanks::Costs costs{
    .fixed = 0.8e-6, .message = 0.3e-6, .near = {1e-6, 10e9}, .far = {5e-6, 2e9}};

/// What is measured of ranks with such clocks; the same on all of them.
std::vector<LinkSample> samples_of(const std::vector<std::string>& hosts) {
  std::mutex mutex;
  std::vector<std::vector<LinkSample>> all;
  VirtualRanks::run(hosts, costs, [&](Communicator& ranks, const VirtualRanks::Clock& clock) {
    LinkMeasurement measurement{Transport::mpi, host_links, clock, {}};
    measurement.stopwatch.min_round_seconds = 2e-5;
    measurement.stopwatch.min_rounds = 3;
    measurement.stopwatch.max_seconds = 1e-4;
    std::vector<LinkSample> mine =
        measure_rank_links(ranks, hosts, measurement, [](double done, const std::string&) {
          EXPECT_GE(done, 0);
          EXPECT_LT(done, 1);
        });
    const std::lock_guard lock(mutex);
    all.push_back(std::move(mine));
  });
  for (const std::vector<LinkSample>& each : all) EXPECT_EQ(each, all.front());
  return all.front();
}

Network network_of(const std::vector<std::string>& hosts) {
  LinkSampleFile file;
  file.samples = samples_of(hosts);
  return fit_network(file, "virtual").network;
}

void expect_near(double value, double expected, double share) {
  EXPECT_NEAR(value, expected, share * expected);
}

TEST(LinkMeasurement, FindsWhatRanksOfTwoHostsCostEachOther) {
  const Network network = network_of({"a", "a", "b", "b"});
  EXPECT_EQ(network.ranks_per_host, 2);
  const TransportCosts& found = network.transports.at(Transport::mpi);
  const MessageCosts& near = found.links.at(LinkClass::same_host);
  const MessageCosts& far = found.links.at(LinkClass::other_host);
  expect_near(near.latency_seconds.value, costs.near.latency, 0.05);
  expect_near(near.gbps.value, 10, 0.05);
  expect_near(far.latency_seconds.value, costs.far.latency, 0.05);
  expect_near(far.gbps.value, 2, 0.05);
  expect_near(found.fixed_seconds.value, costs.fixed, 0.1);
  // In full where little is sent; else it passes while bytes of the message before are moved.
  EXPECT_GT(found.message_seconds.value, costs.message / 3);
  EXPECT_LT(found.message_seconds.value, costs.message * 1.1);
  // Up the tree and down again.
  expect_near(found.sum.doubling_seconds.at(LinkClass::same_host).value, 2e-6, 0.1);
  expect_near(found.sum.doubling_seconds.at(LinkClass::other_host).value, 1e-5, 0.1);
  // Here two ranks of a host have a link each.
  expect_near(network.adapter_gbps, 4, 0.05);
}

TEST(LinkMeasurement, LeavesOutClassesThatNoTwoRanksHave) {
  const Network here = network_of({"a", "a", "a"});
  EXPECT_EQ(here.transports.at(Transport::mpi).links.size(), 1u);
  EXPECT_EQ(here.transports.at(Transport::mpi).links.count(LinkClass::same_host), 1u);
  EXPECT_EQ(here.adapter_gbps, 0);
  const Network apart = network_of({"a", "b"});
  EXPECT_EQ(apart.transports.at(Transport::mpi).links.size(), 1u);
  EXPECT_EQ(apart.transports.at(Transport::mpi).links.count(LinkClass::other_host), 1u);
  EXPECT_EQ(apart.ranks_per_host, 1);
}

TEST(LinkMeasurement, HasRanksExchangeWithOneTwoFourAndSixOrAllOthers) {
  const auto neighbours_of = [](int ranks) {
    std::vector<int> counts;
    for (const LinkSample& each :
         samples_of(std::vector<std::string>(static_cast<std::size_t>(ranks), "a"))) {
      if (each.kind == LinkSample::Kind::exchange && each.bytes == 8 && each.ranks == ranks) {
        counts.push_back(each.neighbours);
      }
    }
    return counts;
  };
  EXPECT_EQ(neighbours_of(2), std::vector{1});
  EXPECT_EQ(neighbours_of(4), (std::vector{1, 2, 3}));
  EXPECT_EQ(neighbours_of(5), (std::vector{1, 2, 4}));
  EXPECT_EQ(neighbours_of(8), (std::vector{1, 2, 4, 6}));
}

TEST(LinkMeasurement, SumsOverTheFirstRanksAndAllOfThem) {
  std::vector<int> ranks;
  for (const LinkSample& each : samples_of(std::vector<std::string>(6, "a"))) {
    if (each.kind == LinkSample::Kind::sum) ranks.push_back(each.ranks);
  }
  std::ranges::sort(ranks);
  EXPECT_EQ(ranks, (std::vector{2, 4, 6}));
}

}  // namespace
}  // namespace sparsecast
