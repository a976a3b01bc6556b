#include "core/base/threads/work_ahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

TEST(ThreadedWorkAhead, HandsEveryItemOutOnce) {
  for (const int workers : {0, 1, 3}) {
    WorkAhead<std::string> ahead(
        std::vector<double>(20, 1.0), [](std::size_t i) { return std::to_string(i); }, workers, 5);
    std::set<std::size_t> seen;
    while (const auto next = ahead.next()) {
      EXPECT_EQ(next->second, std::to_string(next->first));
      EXPECT_TRUE(seen.insert(next->first).second);
    }
    EXPECT_EQ(seen.size(), 20u);
    EXPECT_FALSE(ahead.next());
  }
}

TEST(ThreadedWorkAhead, GivesItemsByNumberAndPassesOverThoseBetween) {
  for (const int workers : {0, 1, 3}) {
    WorkAhead<int> ahead(
        std::vector<double>(20, 1.0), [](std::size_t i) { return static_cast<int>(i * i); },
        workers, 4);
    for (const std::size_t i : {0u, 1u, 2u, 9u, 10u, 19u}) {
      EXPECT_EQ(ahead.take(i), static_cast<int>(i * i));
    }
  }
}

TEST(ThreadedWorkAhead, HoldsNoMoreThanItMay) {
  std::atomic<int> held{0};
  std::atomic<int> most{0};
  const auto counted = [&](std::size_t) {
    most = std::max<int>(most, ++held);
    return std::shared_ptr<void>(nullptr, [&](void*) { --held; });
  };
  WorkAhead<std::shared_ptr<void>> ahead(std::vector<double>(30, 1.0), counted, 4, 3);
  while (auto next = ahead.next()) next->second.reset();
  EXPECT_LE(most, 3);
}

TEST(ThreadedWorkAhead, IsIdleWhenNothingIsMade) {
  for (const int workers : {0, 1, 3}) {
    std::atomic<int> making{0};
    std::atomic<int> made{0};
    WorkAhead<int> ahead(
        std::vector<double>(12, 1.0),
        [&](std::size_t i) {
          ++making;
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          --making;
          ++made;
          return static_cast<int>(i);
        },
        workers, 4);
    for (const std::size_t i : {0u, 3u, 11u}) {
      EXPECT_EQ(ahead.take(i), static_cast<int>(i));
      ahead.wait_until_idle();
      const int before = made;
      EXPECT_EQ(making, 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      EXPECT_EQ(made, before);
    }
  }
}

TEST(ThreadedWorkAhead, MakesAnItemThatIsTooLargeAlone) {
  WorkAhead<int> ahead(
      {1, 100, 1}, [](std::size_t i) { return static_cast<int>(i); }, 2, 10);
  EXPECT_EQ(ahead.take(0), 0);
  EXPECT_EQ(ahead.take(1), 1);
  EXPECT_EQ(ahead.take(2), 2);
}

TEST(ThreadedWorkAhead, ThrowsWhatTheMakerThrew) {
  const auto make = [](std::size_t i) -> int {
    if (i == 1) throw Error("no second item");
    return 7;
  };
  for (const int workers : {0, 2}) {
    WorkAhead<int> ahead({1, 1, 1}, make, workers, 10);
    EXPECT_EQ(ahead.take(0), 7);
    EXPECT_THROW(ahead.take(1), Error);
    EXPECT_EQ(ahead.take(2), 7);
  }
}

}  // namespace
}  // namespace sparsecast
