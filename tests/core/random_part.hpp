#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/matrix/segment.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {

/// A random matrix in the numbers of a rank's part: rows that are not its own are empty.
template <class T>
CsrMatrix<T> random_part(std::int64_t numbers, const Segment& own, std::int64_t mean_length,
                         unsigned seed) {
  CsrMatrix<T> matrix = random_csr<T>(own.rows(), numbers, mean_length, seed);
  matrix.rows = numbers;
  Buffer<std::int64_t> offsets(static_cast<std::size_t>(own.begin_row), 0);
  offsets.insert(offsets.end(), matrix.row_offsets.begin(), matrix.row_offsets.end());
  offsets.resize(static_cast<std::size_t>(numbers) + 1, matrix.row_offsets.back());
  matrix.row_offsets = std::move(offsets);
  return matrix;
}

}  // namespace sparsecast
