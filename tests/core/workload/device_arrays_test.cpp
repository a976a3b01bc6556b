#include "core/workload/device_arrays.hpp"

#include <gtest/gtest.h>

#include <array>

namespace sparsecast {
namespace {

TEST(DeviceArrays, StartAsManyCopiesAsHaveTheirOwnMemoryAndThreads) {
  EXPECT_EQ(upload_starts(std::array{8e3, 4e3, 1e3}), 0);
  EXPECT_EQ(upload_starts(std::array{6e5, 6e5, 1e3}), 1);
  EXPECT_EQ(upload_starts(std::array{5e6, 2.5e6, 1e3}), 2);
  EXPECT_EQ(upload_starts(std::array{5e9, 5e9, 5e9}), 4);
  EXPECT_EQ(upload_starts(std::array{4e6}), 1);
}

}  // namespace
}  // namespace sparsecast
