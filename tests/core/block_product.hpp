#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/engine/backend.hpp"
#include "core/random_csr.hpp"
#include "core/schedule/diagonal_blocks.hpp"

namespace sparsecast {

/// A schedule of one product by diagonal blocks of so many rows: vectors "M0", ..., "r" and "z",
/// the scalar "sum".
inline Schedule block_schedule(int block_rows, VectorScope input, bool with_sum) {
  Schedule schedule;
  schedule.name = "blocks";
  for (int k = 0; k < block_rows; ++k) schedule.vectors.push_back({"M" + std::to_string(k)});
  schedule.vectors.push_back({"r", input});
  schedule.vectors.push_back({"z"});
  schedule.scalars.push_back({"sum"});
  std::vector<VectorSlot> blocks(static_cast<std::size_t>(block_rows));
  std::iota(blocks.begin(), blocks.end(), 0);
  schedule.iteration = {block_step(blocks, block_rows, block_rows + 1, with_sum ? 0 : -1)};
  return schedule;
}

/// Holds a back end's product by blocks, and its sum, against the same in double: of random values,
/// also where no row of a block meets them; and what it moved against what the step says.
template <class T>
void expect_block_product(Backend& backend, int block_rows, std::int64_t unknowns,
                          VectorScope input, bool with_sum) {
  const unsigned seed = static_cast<unsigned>(block_rows + 100 * unknowns);
  SCOPED_TRACE("blocks of " + std::to_string(block_rows) + ", " + std::to_string(unknowns) +
               " rows, " + (sizeof(T) == 4 ? "f32" : "f64") + (with_sum ? ", sum" : "") +
               (input == VectorScope::full ? ", full" : "") + ", seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto random_values = [&] {
    std::vector<T> values(static_cast<std::size_t>(unknowns));
    for (T& value : values) value = static_cast<T>(random_value(random));
    return values;
  };
  const Schedule schedule = block_schedule(block_rows, input, with_sum);
  const auto prepared = [&] {
    if constexpr (std::is_same_v<T, float>) {
      return backend.prepare_vectors_f32(schedule, unknowns);
    } else {
      return backend.prepare_vectors_f64(schedule, unknowns);
    }
  }();
  std::vector<std::vector<T>> blocks;
  for (int k = 0; k < block_rows; ++k) {
    blocks.push_back(random_values());
    prepared->set_vector("M" + std::to_string(k), blocks.back());
  }
  const std::vector<T> r = random_values();
  std::vector<T> z(r.size(), static_cast<T>(12345));
  prepared->set_vector("r", r);
  prepared->set_vector("z", z);
  prepared->set_scalar("sum", 12345);
  ASSERT_EQ(prepared->run(1).outcome, Outcome::iteration_limit);
  prepared->get_vector("z", z);

  const double allowed = sizeof(T) == 4 ? 1e-5 : 1e-13;
  double sum = 0;
  double moved = 0;
  std::int64_t begin = 0;
  for (const SegmentShape& segment : prepared->segments()) {
    const std::int64_t end = begin + std::llround(segment.unknowns);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i - i % block_rows;
      double expected = 0;
      for (std::int64_t k = 0; k < block_rows; ++k) {
        if (first + k < begin || first + k >= end) continue;
        expected += static_cast<double>(blocks[static_cast<std::size_t>(k)][i]) * r[first + k];
      }
      ASSERT_NEAR(z[i], expected, allowed * block_rows) << "row " << i;
      sum += static_cast<double>(z[i]) * r[i];
    }
    moved += bytes_moved(schedule.iteration[0], segment,
                         sizeof(T) == 4 ? Precision::f32 : Precision::f64)
                 .total();
    begin = end;
  }
  EXPECT_EQ(begin, unknowns);
  const double size = static_cast<double>(unknowns);
  EXPECT_NEAR(prepared->scalar("sum"), with_sum ? sum : 12345, 1e-10 * size + 1e-10);
  EXPECT_EQ(prepared->counters().bytes.total(), moved);
}

/// Of all sizes of blocks, with and without what they end with, on vectors that devices hold whole
/// or in parts.
template <class T>
void expect_block_products(Backend& backend, std::span<const std::int64_t> unknowns) {
  for (int rows = 1; rows <= largest_diagonal_block; ++rows) {
    for (const std::int64_t size : unknowns) {
      for (const VectorScope scope : {VectorScope::segment, VectorScope::full}) {
        expect_block_product<T>(backend, rows, size, scope, false);
        expect_block_product<T>(backend, rows, size, scope, true);
      }
    }
  }
}

}  // namespace sparsecast
