#include "core/engine/ranks/communicator.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/base/error.hpp"
#include "core/engine/ranks/chosen_ranks.hpp"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

TEST(ThreadedRanks, SumToTheSameBitsOnAllAndEveryTime) {
  for (int size = 1; size <= 9; ++size) {
    std::mt19937 random(static_cast<unsigned>(size));
    std::vector<double> values;
    double exact = 0;
    for (int rank = 0; rank < size; ++rank) {
      values.push_back(random_value(random));
      exact += values.back();
    }
    std::vector<double> sums(2 * static_cast<std::size_t>(size));
    for (const std::size_t round : {0, 1}) {
      ThreadRanks::run(size, [&](Communicator& ranks) {
        const auto rank = static_cast<std::size_t>(ranks.rank());
        std::vector<double> mine{values[rank], 1};
        ranks.sum(mine);
        EXPECT_EQ(mine[1], size);
        sums[2 * rank + round] = mine[0];
      });
    }
    for (const double sum : sums) EXPECT_EQ(sum, sums[0]);
    EXPECT_NEAR(sums[0], exact, 1e-14);
  }
}

TEST(ThreadedRanks, FindTheSmallestAndTheLargestOfTheirValues) {
  for (int size = 1; size <= 6; ++size) {
    ThreadRanks::run(size, [&](Communicator& ranks) {
      EXPECT_EQ(ranks.minimum(5 - ranks.rank()), 6 - size);
      EXPECT_EQ(ranks.maximum(5 - ranks.rank()), 5);
    });
  }
}

TEST(ThreadedRanks, SendEachOtherListsOfAnyLength) {
  ThreadRanks::run(4, [](Communicator& ranks) {
    std::vector<Buffer<int>> lists(4);
    // So many numbers as the other's rank, none for rank 0.
    for (std::size_t other = 0; other < 4; ++other) lists[other].assign(other, ranks.rank());
    const std::vector<Buffer<int>> received = exchange_lists(ranks, lists);
    for (int from = 0; from < 4; ++from) {
      EXPECT_EQ(received[static_cast<std::size_t>(from)],
                Buffer<int>(static_cast<std::size_t>(ranks.rank()), from));
    }
  });
}

TEST(ThreadedRanks, AllThrowWhatOneOfThemCouldNotDoAndNameIt) {
  int threw = 0;
  std::mutex turn;
  ThreadRanks::run(3, [&](Communicator& ranks) {
    const std::string what = refusal_of([&] {
      do_together(ranks, [&] {
        if (ranks.rank() > 0) throw Error("no file " + std::to_string(ranks.rank()));
      });
    });
    EXPECT_EQ(what, "rank 1: no file 1");
    const std::lock_guard lock(turn);
    ++threw;
  });
  EXPECT_EQ(threw, 3);
}

TEST(ThreadedRanks, NameNoneWhereAllSayTheSame) {
  ThreadRanks::run(3, [&](Communicator& ranks) {
    EXPECT_EQ(refusal_of([&] { do_together(ranks, [] { throw Error("no file"); }); }), "no file");
    EXPECT_NO_THROW(do_together(ranks, [] {}));
  });
}

/// Ranks of which one's messages may not lie in the memory of GPUs.
class OneWithoutGpuMemory final : public Communicator {
 public:
  OneWithoutGpuMemory(Communicator& all, int without) : all_(all), without_(without) {}
  int rank() const override { return all_.rank(); }
  int size() const override { return all_.size(); }
  bool knows_gpu_memory() const override { return rank() != without_; }
  void exchange(std::span<const OutgoingBytes> out, std::span<const IncomingBytes> in) override {
    all_.exchange(out, in);
  }

 private:
  Communicator& all_;
  const int without_;
};

TEST(ThreadedRanks, CarryGpuMemoryWhereAllKnowIt) {
  ThreadRanks::run(3, [](Communicator& ranks) {
    EXPECT_FALSE(ranks.carries_gpu_memory());
    for (int without = 0; without < 4; ++without) {
      OneWithoutGpuMemory some(ranks, without);
      EXPECT_EQ(some.carries_gpu_memory(), without == 3) << without;
      if (ranks.rank() == 0) continue;
      ChosenRanks two(some, {1, 2});
      EXPECT_EQ(two.carries_gpu_memory(), without == 0 || without == 3) << without;
    }
  });
}

}  // namespace
}  // namespace sparsecast
