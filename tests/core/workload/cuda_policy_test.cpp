#include <gtest/gtest.h>

#include "core/cuda/cuda_backend.hpp"

namespace sparsecast {
namespace {

SegmentShape shape_of(double unknowns, double nonzeros_per_row, int block_size = 1) {
  SegmentShape shape;
  shape.unknowns = shape.total_unknowns = unknowns;
  shape.elements = unknowns * nonzeros_per_row;
  shape.blocks = shape.elements / (block_size * block_size);
  shape.block_rows = unknowns / block_size;
  return shape;
}

constexpr int multiprocessors = 132;

constexpr std::int64_t l2_bytes = 60 << 20;

TEST(SpmvLanesTest, AboutTakeARowOfMeanLengthInOnePass) {
  const CudaPolicy policy;
  EXPECT_EQ(spmv_lanes(shape_of(1e6, 5), 1, 8, l2_bytes, policy), 1);
  EXPECT_EQ(spmv_lanes(shape_of(1e6, 27), 1, 8, l2_bytes, policy), 4);
  EXPECT_EQ(spmv_lanes(shape_of(1e6, 45), 1, 4, l2_bytes, policy), 8);
  EXPECT_EQ(spmv_lanes(shape_of(1e3, 45, 3), 3, 4, l2_bytes, policy), 8);
  EXPECT_EQ(spmv_lanes(shape_of(100, 1e4), 1, 8, l2_bytes, policy), 32);
}

TEST(SpmvLanesTest, AreAWarpForSmallBlocksOfAMatrixBeyondTheCache) {
  const CudaPolicy policy;
  for (const int block_size : {2, 3}) {
    EXPECT_EQ(spmv_lanes(shape_of(1e6, 45, block_size), block_size, 4, l2_bytes, policy), 32);
    EXPECT_LT(spmv_lanes(shape_of(1e5, 45, block_size), block_size, 4, l2_bytes, policy), 32);
  }
}

TEST(PersistentLaunchTest, SmallSystemsUseFewThreadBlocks) {
  const CudaPolicy policy;
  EXPECT_EQ(persistent_launch(shape_of(1, 1), multiprocessors, policy).blocks, 1);
  EXPECT_EQ(persistent_launch(shape_of(1500, 5), multiprocessors, policy).blocks, 10);
  EXPECT_EQ(persistent_launch(shape_of(1e6, 5), multiprocessors, policy).blocks, multiprocessors);
}

TEST(PersistentLaunchTest, ThreadsAreWholeWarpsWithOneToWait) {
  const CudaPolicy policy;
  for (double unknowns = 1; unknowns < 1e7; unknowns *= 1.7) {
    const PersistentLaunch launch =
        persistent_launch(shape_of(unknowns, 45, 3), multiprocessors, policy);
    EXPECT_EQ(launch.threads % 32, 0);
    EXPECT_GE(launch.threads, 64);
    EXPECT_LE(launch.threads, 512);
  }
}

TEST(PersistentLaunchTest, LanesShareLongRowsWhereThereAreThreadsForThem) {
  const CudaPolicy policy;
  EXPECT_EQ(persistent_launch(shape_of(1e4, 5), multiprocessors, policy).lanes, 1);
  EXPECT_EQ(persistent_launch(shape_of(1e4, 45, 3), multiprocessors, policy).lanes, 4);
  EXPECT_EQ(persistent_launch(shape_of(1e4, 400), multiprocessors, policy).lanes, 4);
  EXPECT_EQ(persistent_launch(shape_of(1e6, 400), multiprocessors, policy).lanes, 1);
}

TEST(PersistentLaunchTest, LongRowsMakeMoreThreadBlocks) {
  const CudaPolicy policy;
  const int blocks = persistent_launch(shape_of(3000, 5), multiprocessors, policy).blocks;
  EXPECT_EQ(blocks, 20);
  EXPECT_GT(persistent_launch(shape_of(3000, 60), multiprocessors, policy).blocks, blocks);
}

TEST(PersistentLaunchTest, LargeMatricesAreLeftToGraphs) {
  const CudaPolicy policy;
  EXPECT_TRUE(persistent_may_be_faster(shape_of(1e5, 5), 8, multiprocessors, policy));
  EXPECT_FALSE(persistent_may_be_faster(shape_of(9e6, 5), 8, multiprocessors, policy));
}

TEST(PersistentLaunchTest, SoAreSystemsThatMoveMuch) {
  const CudaPolicy policy;
  constexpr std::int64_t l2 = 60'000'000;
  const SegmentShape shape = shape_of(1e6, 5);
  EXPECT_TRUE(persistent_is_faster(shape, 4, 1, 0.5 * l2, l2, policy));
  EXPECT_FALSE(persistent_is_faster(shape, 4, 1, 2.0 * l2, l2, policy));
  // Long runs hide more.
  EXPECT_TRUE(persistent_is_faster(shape_of(1e6, 80, 3), 8, 1, 2.0 * l2, l2, policy));
  EXPECT_FALSE(persistent_is_faster(shape_of(1e6, 80, 3), 8, 32, 2.0 * l2, l2, policy));
}

}  // namespace
}  // namespace sparsecast
