#include "core/workload/persistent_steps.hpp"

#include <algorithm>

namespace sparsecast {
namespace {

constexpr int warp = 32;

}  // namespace

std::int64_t most_steps_of_a_row(int block_size, std::int64_t blocks, std::int64_t block_rows,
                                 int lanes, std::int64_t segment_blocks, int threads) {
  const std::int64_t few = block_size == 1 ? few_steps_of_values : few_steps_of_blocks;
  const std::int64_t all_lanes = std::max<std::int64_t>(1, block_rows * lanes);
  const std::int64_t mean = (blocks + all_lanes - 1) / all_lanes;
  return std::max({few, mean + mean / 2, segment_blocks / (std::int64_t{2} * threads)});
}

int lanes_of_row(std::int64_t length, int lanes, std::int64_t most_steps) {
  while (lanes < warp && length > most_steps * lanes) lanes *= 2;
  return lanes;
}

}  // namespace sparsecast
