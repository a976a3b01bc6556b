#pragma once

#include <cstdint>

/// @file
/// When the kernels of the CUDA back end that work on vectors stream them: a rule that launches and
/// prices share.

namespace sparsecast {

/// Whether a vector of so many bytes comes from memory each time. A kernel of its rows that sums
/// nothing is then faster with a thread block for each part of the rows than with blocks that stay
/// and take part after part, with the grid's stride (by 1 % of an iteration of CG on an H200, 7-
/// and 27-point grids of 1.7e7 rows in f64); it costs time below.
constexpr bool comes_from_memory(double vector_bytes, std::int64_t l2_bytes) {
  return vector_bytes > static_cast<double>(l2_bytes);
}

}  // namespace sparsecast
