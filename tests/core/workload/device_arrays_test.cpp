#include "core/workload/device_arrays.hpp"

#include <gtest/gtest.h>

#include <array>

namespace sparsecast {
namespace {

TEST(DeviceArrays, StartAsManyCopiesAsHaveTheirOwnMemoryAndThreads) {
  EXPECT_EQ(upload_terms(std::array{8e3, 4e3, 1e3}, true).starts, 0);
  EXPECT_EQ(upload_terms(std::array{6e5, 6e5, 1e3}, true).starts, 1);
  EXPECT_EQ(upload_terms(std::array{5e6, 2.5e6, 1e3}, true).starts, 2);
  EXPECT_EQ(upload_terms(std::array{5e9, 5e9, 5e9}, true).starts, 4);
  EXPECT_EQ(upload_terms(std::array{4e6}, true).starts, 1);
  EXPECT_EQ(upload_terms(std::array{5e6}, true).starts, 2);
  EXPECT_EQ(upload_terms(std::array{5e6}, false).starts, 1);
}

TEST(DeviceArrays, AreCopiedByTheDriverOrByThreads) {
  const UploadTerms few = upload_terms(std::array{8e3, 4e3, 1e3}, true);
  EXPECT_EQ(few.arrays, 3);
  EXPECT_EQ(few.driver_bytes, 13e3);
  EXPECT_EQ(few.threads_bytes, 0);
  const UploadTerms many = upload_terms(std::array{8e5, 4e5}, true);
  EXPECT_EQ(many.arrays, 2);
  EXPECT_EQ(many.driver_bytes, 0);
  EXPECT_EQ(many.threads_bytes, 12e5);
}

}  // namespace
}  // namespace sparsecast
