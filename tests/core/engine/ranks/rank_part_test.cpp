#include "core/engine/ranks/rank_part.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "core/base/threads/split_by_weight.hpp"
#include "core/engine/ranks/thread_ranks.hpp"

namespace sparsecast {
namespace {

TEST(RankRows, AreOwnedByRanksThatHaveSome) {
  const RankRows rows{{0, 0, 3, 3, 5, 5}};
  EXPECT_EQ(rows.owner(0), 1);
  EXPECT_EQ(rows.owner(2), 1);
  EXPECT_EQ(rows.owner(3), 3);
  EXPECT_EQ(rows.owner(4), 3);
}

TEST(BoundariesWithin, TogetherAreThoseOfOneSplitOfAllItems) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const std::size_t items = random() % 30;
    std::vector<std::int64_t> cumulative{0};
    for (std::size_t i = 0; i < items; ++i) {
      cumulative.push_back(cumulative.back() + static_cast<std::int64_t>(random() % 4));
    }
    const int parts = 1 + static_cast<int>(random() % 6);
    // Stretches of any length.
    std::vector<std::int64_t> sum(static_cast<std::size_t>(parts) + 1, 0);
    for (std::size_t first = 0; first < items;) {
      const std::size_t last = std::min(items, first + 1 + random() % 10);
      const auto stretch = std::span(cumulative).subspan(first, last - first + 1);
      const std::vector<std::int64_t> found =
          boundaries_within(stretch, static_cast<std::int64_t>(first), cumulative.back(), parts);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += found[k];
      first = last;
    }
    sum.back() = static_cast<std::int64_t>(items);
    EXPECT_EQ(sum, split_by_weight(cumulative, parts)) << "round " << round;
  }
}

TEST(PartNumbers, KeepTheOrderOfTheWholeMatrix) {
  const std::int64_t large = std::int64_t{1} << 40;
  const RankRows rows{{0, large, large + 4, 2 * large}};
  const PartNumbers numbers(rows, 1, {large + 9, 7, large + 9, 2}, 1);

  EXPECT_EQ(numbers.count(), 7);
  EXPECT_EQ(numbers.own().begin_row, 2);
  EXPECT_EQ(numbers.own().end_row, 6);
  EXPECT_EQ(numbers.of(2), 0);
  EXPECT_EQ(numbers.of(7), 1);
  EXPECT_EQ(numbers.of(large), 2);
  EXPECT_EQ(numbers.of(large + 3), 5);
  EXPECT_EQ(numbers.of(large + 9), 6);
}

TEST(PartNumbers, TakeWholeBlocksUpToTheMatrixsEnd) {
  const RankRows rows{{0, 3, 6, 11}};
  const PartNumbers numbers(rows, 1, {10, 1}, 3);

  EXPECT_EQ(std::vector<std::int64_t>(numbers.halo().begin(), numbers.halo().end()),
            (std::vector<std::int64_t>{0, 1, 2, 9, 10}));
  EXPECT_EQ(numbers.own().begin_row, 3);
  EXPECT_EQ(numbers.count(), 8);
}

TEST(PartNumbers, MayBeNone) {
  const PartNumbers numbers({{0, 2, 2}}, 1, {}, 1);
  EXPECT_EQ(numbers.count(), 0);
  EXPECT_EQ(numbers.own().rows(), 0);
}

TEST(ThreadedHalo, HoldsWhatTheOwnersHave) {
  const RankRows rows{{0, 4, 4, 10, 13}};
  // Of each rank: rows that it needs of others.
  const std::vector<Buffer<std::int64_t>> needed{{12, 5, 4}, {}, {3, 0, 11}, {9}};
  ThreadRanks::run(4, [&](Communicator& ranks) {
    const int rank = ranks.rank();
    const PartNumbers numbers(rows, rank, needed[static_cast<std::size_t>(rank)], 1);
    const RankPart part{&ranks, rows, numbers.own(), plan_halo(ranks, rows, numbers)};
    // Every row's value is its number; the halo is not known yet.
    std::vector<double> values(static_cast<std::size_t>(numbers.count()), -1);
    std::iota(values.begin() + part.own.begin_row, values.begin() + part.own.end_row,
              static_cast<double>(rows.begin(rank)));
    const std::vector<double> own(values.begin() + part.own.begin_row,
                                  values.begin() + part.own.end_row);
    Buffer<double> packed;
    fetch_halo<double>(part, own, values.data(), packed);

    for (const std::int64_t row : numbers.halo()) EXPECT_EQ(values[numbers.of(row)], row);
    EXPECT_EQ(ranks.sum(static_cast<double>(part.halo.values())), 2 * 7);
  });
}

TEST(ThreadedHalo, ComesTogetherOnRankZeroInTheOrderOfTheRows) {
  const RankRows rows{{0, 4, 4, 10}};
  std::vector<double> all;
  ThreadRanks::run(3, [&](Communicator& ranks) {
    const RankPart part{&ranks, rows, {0, rows.count(ranks.rank())}, {}};
    std::vector<double> own(static_cast<std::size_t>(rows.count(ranks.rank())));
    std::iota(own.begin(), own.end(), static_cast<double>(rows.begin(ranks.rank())));
    gather_in_turn(part, own, [&](std::span<const double> values) {
      EXPECT_EQ(ranks.rank(), 0);
      all.insert(all.end(), values.begin(), values.end());
    });
  });
  std::vector<double> expected(10);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
}

}  // namespace
}  // namespace sparsecast
