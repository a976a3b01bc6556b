#include "core/engine/ranks/virtual_ranks.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace sparsecast {
namespace {

/// The clocks of all ranks after some work and an exchange of 80 bytes, each with one other.
std::vector<double> after_exchange(const std::vector<std::string>& hosts,
                                   const VirtualRanks::Costs& costs, const std::vector<int>& others,
                                   const std::vector<double>& work) {
  std::vector<double> seconds(hosts.size());
  VirtualRanks::run(hosts, costs, [&](Communicator& ranks, const VirtualRanks::Clock& clock) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    clock.advance(work[rank]);
    std::vector<std::byte> sent(80);
    std::vector<std::byte> received(80);
    const OutgoingBytes out{others[rank], sent};
    const IncomingBytes in{others[rank], received};
    ranks.exchange({&out, 1}, {&in, 1});
    seconds[rank] = clock();
  });
  return seconds;
}

const std::vector<std::string> two_hosts{"a", "a", "b", "b"};
const std::vector<int> across{2, 3, 0, 1};

TEST(ThreadedVirtualRanks, WaitForWhatTheirPartnersSend) {
  const VirtualRanks::Costs costs{.near = {16, 8}, .far = {64, 8}};
  EXPECT_EQ(after_exchange({"a", "a"}, costs, {1, 0}, {0, 100}),
            (std::vector<double>{100 + 16 + 10, 100}));
}

TEST(ThreadedVirtualRanks, ShareTheAdaptersOfTheirHosts) {
  VirtualRanks::Costs costs{.near = {16, 8}, .far = {64, 8}};
  const std::vector<double> nothing(4, 0);
  EXPECT_EQ(after_exchange(two_hosts, costs, across, nothing), std::vector<double>(4, 64 + 10));
  costs.adapters = 1;
  costs.adapter_bytes_per_second = 8;
  EXPECT_EQ(after_exchange(two_hosts, costs, across, nothing),
            (std::vector<double>{64 + 10, 64 + 20, 64 + 10, 64 + 20}));
  costs.adapters = 2;
  EXPECT_EQ(after_exchange(two_hosts, costs, across, nothing), std::vector<double>(4, 64 + 10));
}

TEST(ThreadedVirtualRanks, AreServedByTheirClocks) {
  const VirtualRanks::Costs costs{
      .near = {16, 8}, .far = {64, 8}, .adapters = 1, .adapter_bytes_per_second = 8};
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(after_exchange(two_hosts, costs, across, {2, 0, 2, 0}),
              (std::vector<double>{64 + 20, 64 + 10, 64 + 20, 64 + 10}));
  }
}

TEST(ThreadedVirtualRanks, SumUpATreeAndDown) {
  VirtualRanks::run({"a", "a", "b", "b"}, {.near = {16, 1e9}, .far = {64, 1e9}},
                    [](Communicator& ranks, const VirtualRanks::Clock& clock) {
                      EXPECT_EQ(ranks.sum(1), 4);
                      const std::vector<double> down{0, 16, 64, 64 + 16};
                      EXPECT_NEAR(clock(), 16 + 64 + down[static_cast<std::size_t>(ranks.rank())],
                                  1e-6);
                    });
}

}  // namespace
}  // namespace sparsecast
