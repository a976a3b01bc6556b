#include "core/engine/ranks/measured_links.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/engine/ranks/chosen_ranks.hpp"
#include "core/engine/ranks/virtual_ranks.hpp"

namespace sparsecast {
namespace {

constexpr VirtualRanks::Costs costs{.fixed = 1, .message = 4, .near = {16, 8}, .far = {64, 8}};

TEST(ThreadedMeasuredLinks, SendThereAndBackSoOften) {
  VirtualRanks::run({"a", "a"}, costs, [](Communicator& ranks, const VirtualRanks::Clock& clock) {
    const auto links = host_links(ranks);
    const LinkWork work = links->there_and_back(80);
    work.run(3);
    EXPECT_EQ(clock(), 3 * 2 * (16 + 10) - (ranks.rank() == 0 ? 0 : 16 + 10));
  });
}

TEST(ThreadedMeasuredLinks, ExchangeWithAllNeighboursAtOnce) {
  VirtualRanks::run(
      {"a", "a", "b"}, costs, [](Communicator& ranks, const VirtualRanks::Clock& clock) {
        std::vector<int> others;
        for (int rank = 0; rank < 3; ++rank) {
          if (rank != ranks.rank()) others.push_back(rank);
        }
        const auto links = host_links(ranks);
        links->exchange(others, 80).run(1);
        // Rank 2 sends to rank 0 first, then to rank 1 when its link is free; the
        // others send to it last.
        const std::vector<double> sent{0, 10, 4};
        const double moved = ranks.rank() == 2 ? 20 : 10;
        EXPECT_EQ(clock(), 1 + sent[static_cast<std::size_t>(ranks.rank())] + 64 + moved);
      });
}

TEST(ThreadedChosenRanks, AreNumberedAsTheyWereChosen) {
  VirtualRanks::run({"a", "a", "a", "a"}, costs,
                    [](Communicator& ranks, const VirtualRanks::Clock&) {
                      if (ranks.rank() == 0 || ranks.rank() == 2) return;
                      ChosenRanks some(ranks, {3, 1});
                      EXPECT_EQ(some.size(), 2);
                      EXPECT_EQ(some.rank(), ranks.rank() == 3 ? 0 : 1);
                      EXPECT_EQ(some.sum(static_cast<double>(ranks.rank())), 4);
                      EXPECT_EQ(some.maximum(some.rank() == 0 ? 7 : 5), 7);
                    });
}

}  // namespace
}  // namespace sparsecast
