#include "core/base/threads/work_watch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <thread>

#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

const auto nothing = [](std::int64_t, std::int64_t) {};

TEST(WorkWatch, IsAskedOnceBeforeParallelWork) {
  int asked = 0;
  const WorkWatch watch([&] { ++asked; });
  parallel_for(100, 1, [](std::int64_t begin, std::int64_t end) {
    parallel_for(end - begin, 1, nothing);  // a part of the same work
  });
  EXPECT_EQ(asked, 1);
}

TEST(WorkWatch, EndsWorkByWhatItThrows) {
  int ran = 0;
  const WorkWatch watch([] { throw std::runtime_error("enough"); });
  EXPECT_THROW(parallel_for(1, 1, [&](std::int64_t, std::int64_t) { ++ran; }), std::runtime_error);
  EXPECT_EQ(ran, 0);
}

TEST(WorkWatch, IsOfItsThreadAlone) {
  int asked = 0;
  const WorkWatch watch([&] { ++asked; });
  std::thread([] { parallel_for(100, 1, nothing); }).join();
  EXPECT_EQ(asked, 0);
}

TEST(WorkWatch, GivesItsPlaceBack) {
  int outer = 0;
  int inner = 0;
  const WorkWatch watch([&] { ++outer; });
  {
    const WorkWatch nearer([&] { ++inner; });
    parallel_for(1, 1, nothing);
  }
  parallel_for(1, 1, nothing);
  EXPECT_EQ(outer, 1);
  EXPECT_EQ(inner, 1);
}

}  // namespace
}  // namespace sparsecast
