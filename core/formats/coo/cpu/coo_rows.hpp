#pragma once

#include <algorithm>
#include <cstdint>

#include "core/formats/coo/coo.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// output += A * input for rows [begin, end) of the segment.
template <class T>
void add_rows(const CooMatrix<T>& a, std::int64_t begin, std::int64_t end, const T* input,
              T* output) {
  const auto entries = std::ssize(a.values);
  std::int64_t k = std::ranges::lower_bound(a.row_indices, begin) - a.row_indices.begin();
  while (k < entries && a.row_indices[k] < end) {
    const std::int32_t row = a.row_indices[k];
    T sum = 0;
    for (; k < entries && a.row_indices[k] == row; ++k) {
      sum += a.values[k] * input[a.column_indices[k]];
    }
    output[row] += sum;
  }
}

/// Of all arrays.
template <class T>
BytesByKind bytes_of(const CooMatrix<T>& a) {
  BytesByKind bytes;
  bytes.values = static_cast<double>(a.values.size() * sizeof(T));
  bytes.indices = static_cast<double>(a.values.size() * coo_index_bytes);
  return bytes;
}

/// Bytes of the entries before each row, and before the end.
template <class T>
Buffer<std::int64_t> bytes_before_rows(const CooMatrix<T>& a) {
  Buffer<std::int64_t> bytes(static_cast<std::size_t>(a.rows) + 1);
  const auto entries = std::ssize(a.values);
  std::int64_t k = 0;
  for (std::int64_t row = 0; row <= a.rows; ++row) {
    while (k < entries && a.row_indices[k] < row) ++k;
    bytes[row] = k * static_cast<std::int64_t>(sizeof(T) + coo_index_bytes);
  }
  return bytes;
}

}  // namespace sparsecast
