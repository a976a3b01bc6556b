#include "core/workload/gpu_execution.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

GpuExecution example() {
  GpuExecution execution;
  execution.product = {.lanes = 8,
                       .streams = true,
                       .threads = 128,
                       .rows_per_block = 64,
                       .blocks = 1234,
                       .longest_short_row = 96,
                       .piece_length = 512,
                       .long_rows = 3,
                       .pieces = 17,
                       .loads = {.passes = 1.0 / 7, .lines = 54321}};
  execution.persistent = {.blocks = 132,
                          .threads = 512,
                          .lanes = 4,
                          .block_size = 3,
                          .clustered = false,
                          .fits = true,
                          .balanced = true,
                          .chosen = false,
                          .steps = 12345.5,
                          .most_steps = 101.25,
                          .resident_share = 1.0 / 3,
                          .halo = 5678,
                          .largest_halo = 99,
                          .moved_bytes = 1.5e7,
                          .window_bytes = 40960};
  return execution;
}

TEST(GpuExecutionText, GivesTheSameNumbersBack) {
  const std::string text = to_text(example());
  EXPECT_EQ(text.find(','), std::string::npos);
  const GpuExecution back = parse_gpu_execution(text);
  EXPECT_EQ(back.product, example().product);
  EXPECT_EQ(back.persistent.block_size, 3);
  EXPECT_TRUE(back.persistent.fits);
  EXPECT_FALSE(back.persistent.chosen);
  EXPECT_EQ(back.persistent.resident_share, 1.0 / 3);
  EXPECT_EQ(back.persistent.window_bytes, 40960);
  EXPECT_EQ(to_text(back), text);
}

TEST(GpuExecutionText, EndsWithWhatASecondKernelAdds) {
  GpuExecution execution = example();
  execution.product.loads.added_lines = 0.25;
  execution.product.loads.added_rows = 77;
  const std::string text = to_text(execution);
  EXPECT_EQ(text, to_text(example()) + ";0.25;77");
  EXPECT_EQ(parse_gpu_execution(text).product, execution.product);
}

TEST(GpuExecutionText, EndsWithWhatLaterVersionsCount) {
  GpuExecution execution = example();
  execution.persistent.most_halo_lines = 321;
  execution.persistent.most_moved_bytes = 123456;
  EXPECT_EQ(to_text(execution), to_text(example()) + ";0;0;321;123456");
  EXPECT_EQ(parse_gpu_execution(to_text(execution)).persistent.most_halo_lines, 321);
  EXPECT_EQ(parse_gpu_execution(to_text(execution)).persistent.most_moved_bytes, 123456);
  execution = example();
  execution.product.loads.piece_sectors = 99.5;
  execution.product.loads.spared_sectors = 11;
  EXPECT_EQ(to_text(execution), to_text(example()) + ";0;0;0;0;99.5;11");
  EXPECT_EQ(parse_gpu_execution(to_text(execution)).product, execution.product);
  // Not half a pair.
  EXPECT_THROW(parse_gpu_execution(to_text(example()) + ";0;0;321"), Error);
  EXPECT_THROW(parse_gpu_execution(to_text(example()) + ";0;0;0;0;99.5;11;1"), Error);
}

TEST(GpuExecutionText, IsRefusedWhenItIsDamaged) {
  const std::string text = to_text(example());
  // No whole number of the fields is so large.
  for (const char* large : {"9223372036854775808", "-1e300", "7.4e99"}) {
    const std::string damaged = large + text.substr(text.find(';'));
    EXPECT_THROW(parse_gpu_execution(damaged), Error) << damaged;
  }
  for (const std::string& damaged :
       {std::string(), text.substr(0, text.rfind(';')), text + ";1", "x" + text}) {
    EXPECT_THROW(parse_gpu_execution(damaged), Error) << damaged;
  }
}

}  // namespace
}  // namespace sparsecast
