#include "core/base/threads/thread_team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

TEST(ThreadTeam, RefusesToBeEmpty) {
  EXPECT_THROW(ThreadTeam(0), Error);
  EXPECT_THROW(Barrier(0), Error);
}

TEST(ThreadTeam, KnowsAtLeastOneAvailableThread) {
  EXPECT_GE(available_threads(), 1);
  EXPECT_LE(available_threads(), static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(ThreadTeam, SharesThreadsWithOtherProcesses) {
  const int all = allowed_threads();
  EXPECT_EQ(available_threads(), all);
  share_threads(2);
  EXPECT_EQ(available_threads(), std::max(1, all / 2));
  EXPECT_EQ(allowed_threads(), all);
  share_threads(all + 1);
  EXPECT_EQ(available_threads(), 1);
  share_threads(1);
  EXPECT_EQ(available_threads(), all);
}

TEST(ThreadedTeam, RunsTheBodyOnceOnEveryThreadInEveryRun) {
  for (const int threads : {1, 2, 3, 5}) {
    ThreadTeam team(threads);
    EXPECT_EQ(team.size(), threads);
    std::vector<int> calls(static_cast<std::size_t>(threads), 0);
    for (int run = 0; run < 50; ++run) {
      team.run([&](int thread) { ++calls[static_cast<std::size_t>(thread)]; });
    }
    for (const int count : calls) EXPECT_EQ(count, 50);
  }
}

TEST(ThreadedTeam, RunsThreadZeroOnTheCaller) {
  ThreadTeam team(2);
  std::thread::id first;
  team.run([&](int thread) {
    if (thread == 0) first = std::this_thread::get_id();
  });
  EXPECT_EQ(first, std::this_thread::get_id());
}

TEST(ThreadedTeam, SeesBehindABarrierWhatOthersWroteBeforeIt) {
  for (const int threads : {2, 3, 4}) {
    ThreadTeam team(threads);
    std::vector<int> written(static_cast<std::size_t>(threads), 0);
    std::atomic<int> wrong{0};
    team.run([&](int thread) {
      const auto own = static_cast<std::size_t>(thread);
      for (int round = 1; round <= 500; ++round) {
        written[own] = round;
        team.barrier();
        if (std::accumulate(written.begin(), written.end(), 0) != round * threads) ++wrong;
        team.barrier();
      }
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST(ThreadedBarrier, LetsEverybodyGoOnceItIsStopped) {
  constexpr int threads = 3;
  for (const bool asleep : {false, true}) {
    Barrier barrier(threads);
    std::atomic<int> passed = 0;
    std::atomic<int> stopped = 0;
    std::vector<std::thread> waiting;
    for (int thread = 0; thread + 1 < threads; ++thread) {
      waiting.emplace_back([&] {
        while (barrier.wait()) ++passed;
        stopped += barrier.wait() ? 0 : 1;
      });
    }
    for (int round = 0; round < 10; ++round) EXPECT_TRUE(barrier.wait());
    if (asleep) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    barrier.stop();
    for (std::thread& thread : waiting) thread.join();
    // Who is late to leave the last of these is told already.
    EXPECT_GE(passed, 9 * (threads - 1));
    EXPECT_LE(passed, 10 * (threads - 1));
    EXPECT_EQ(stopped, threads - 1);
    EXPECT_FALSE(barrier.wait());
  }
}

TEST(ThreadedTeam, WakesThreadsThatFellAsleep) {
  ThreadTeam team(3);
  Barrier barrier(3);
  std::atomic<int> passed{0};
  team.run([&](int thread) {
    if (thread == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    barrier.wait();
    ++passed;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  team.run([&](int) { ++passed; });
  EXPECT_EQ(passed, 6);
}

TEST(ThreadedTeam, ThrowsTheBodysExceptionInTheCallerAndStaysUsable) {
  ThreadTeam team(3);
  const auto fail = [](int thread) {
    if (thread == 2) throw Error("thread 2 failed");
  };
  EXPECT_THROW(team.run(fail), Error);
  std::atomic<int> ran{0};
  team.run([&](int) { ++ran; });
  EXPECT_EQ(ran, 3);
}

TEST(ThreadedParallelFor, VisitsEveryItemOnce) {
  for (const std::int64_t count : {0, 1, 2, 7, 1000, 100001}) {
    for (const int threads : {0, 1, 2, 3, 7}) {
      std::vector<int> visits(static_cast<std::size_t>(count), 0);
      parallel_for(
          count, 1,
          [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
          },
          threads);
      for (const int visit : visits) ASSERT_EQ(visit, 1);
    }
  }
}

TEST(ThreadedParallelFor, KeepsPartsAsLargeAsTheGrain) {
  std::atomic<int> parts{0};
  std::atomic<int> small_parts{0};
  parallel_for(
      1000, 300,
      [&](std::int64_t begin, std::int64_t end) {
        ++parts;
        if (end - begin < 300) ++small_parts;
      },
      8);
  EXPECT_LE(parts, 3);
  EXPECT_EQ(small_parts, 0);
}

TEST(ThreadedParallelFor, TakesMorePartsThanThereAreThreads) {
  const int parts = 50 * available_threads();
  std::vector<std::atomic<int>> visits(static_cast<std::size_t>(parts));
  parallel_for(
      parts, 1,
      [&](std::int64_t begin, std::int64_t end) {
        EXPECT_EQ(end, begin + 1);
        ++visits[static_cast<std::size_t>(begin)];
      },
      parts);
  for (const std::atomic<int>& count : visits) EXPECT_EQ(count, 1);
}

/// Threads that come late to one call must not disturb the next.
TEST(ThreadedParallelFor, SeesAllThatWasDoneInEachOfManyShortCalls) {
  std::vector<std::int64_t> values(64, 0);
  for (int call = 1; call <= 2000; ++call) {
    parallel_for(std::ssize(values), 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++values[static_cast<std::size_t>(i)];
    });
    ASSERT_EQ(std::accumulate(values.begin(), values.end(), std::int64_t{0}), 64 * call);
  }
}

TEST(ThreadedParallelFor, RunsNestedCallsAsOnePart) {
  std::atomic<std::int64_t> items{0};
  std::atomic<int> inner_parts{0};
  std::atomic<int> outer_parts{0};
  parallel_for(
      2, 1,
      [&](std::int64_t begin, std::int64_t end) {
        ++outer_parts;
        parallel_for(100, 1, [&](std::int64_t from, std::int64_t to) {
          ++inner_parts;
          items += (to - from) * (end - begin);
        });
      },
      2);
  EXPECT_EQ(items, 200);
  EXPECT_EQ(outer_parts, 2);
  EXPECT_EQ(inner_parts, 2);
}

TEST(ThreadedParallelFor, MayBeCalledFromSeveralThreadsAtOnce) {
  constexpr int callers = 4;
  std::vector<std::int64_t> sums(callers, 0);
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&sums, caller] {
      for (int round = 0; round < 20; ++round) {
        std::atomic<std::int64_t> sum{0};
        parallel_for(1000, 10, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
        sums[static_cast<std::size_t>(caller)] += sum;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::int64_t sum : sums) EXPECT_EQ(sum, 20 * 1000);
}

TEST(ThreadedParallelFor, ThrowsTheBodysException) {
  const auto fail = [](std::int64_t begin, std::int64_t) {
    if (begin > 0) throw Error("second part failed");
  };
  if (available_threads() > 1) {
    EXPECT_THROW(parallel_for(100, 1, fail, 2), Error);
  }
  EXPECT_NO_THROW(parallel_for(
      100, 1, [](std::int64_t, std::int64_t) {}, 2));
}

}  // namespace
}  // namespace sparsecast
