#pragma once

#include <algorithm>
#include <cstdint>

#include "core/formats/ell/ell.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// output = A * input for rows [begin, end) of the segment: a few at a time, so that their results
/// stay in the nearest cache while column after column is added.
template <class T>
void multiply_rows(const EllMatrix<T>& a, std::int64_t begin, std::int64_t end, const T* input,
                   T* output) {
  constexpr std::int64_t rows_at_a_time = 1024;
  for (std::int64_t first = begin; first < end; first += rows_at_a_time) {
    const std::int64_t last = std::min(end, first + rows_at_a_time);
    for (std::int64_t i = first; i < last; ++i) output[i] = T{0};
    for (std::int64_t k = 0; k < a.width; ++k) {
      const T* values = a.values.data() + k * a.stride;
      const std::int32_t* columns = a.column_indices.data() + k * a.stride;
      for (std::int64_t i = first; i < last; ++i) {
        output[i] += values[i] != 0 ? values[i] * input[columns[i]] : T{0};
      }
    }
  }
}

/// Of all arrays.
template <class T>
BytesByKind bytes_of(const EllMatrix<T>& a) {
  BytesByKind bytes;
  bytes.values = static_cast<double>(a.values.size() * sizeof(T));
  bytes.indices = static_cast<double>(a.column_indices.size() * sizeof(std::int32_t));
  return bytes;
}

/// Of every row.
template <class T>
std::int64_t bytes_of_row(const EllMatrix<T>& a) {
  return a.width * static_cast<std::int64_t>(sizeof(T) + sizeof(std::int32_t));
}

}  // namespace sparsecast
