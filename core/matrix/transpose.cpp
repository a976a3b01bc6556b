#include "core/matrix/transpose.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/threads/thread_team.hpp"

namespace sparsecast {

void lengths_to_offsets(Buffer<std::int64_t>& offsets) {
  offsets[0] = 0;
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
}

namespace {

/// Calls `put(position, k, row)` for each entry k of a row: its place in A^T. Fills the row offsets
/// of A^T.
template <class T, class Put>
void transpose_into(const CsrView<T>& matrix, Buffer<std::int64_t>& row_offsets, int threads,
                    const Put& put) {
  row_offsets.resize(matrix.columns + 1);

  // Each part of the rows counts and then fills on its own; the counters of all parts together take
  // no more memory than the matrix.
  const std::int64_t parts =
      std::clamp<std::int64_t>(matrix.nonzeros() / std::max<std::int64_t>(matrix.columns, 1) / 2, 1,
                               threads > 0 ? threads : available_threads());
  std::vector<Buffer<std::int64_t>> cursors(parts);
  const auto part_begin = [&](std::int64_t part) {
    const std::int64_t target = matrix.nonzeros() / parts * part;
    if (part == parts) return matrix.rows;
    // The first row that does not begin before it. (Clang 14 does not take std::views::iota here.)
    std::int64_t low = 0;
    std::int64_t high = matrix.rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (matrix.row_offsets[middle] < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  parallel_for(
      parts, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t part = begin; part < end; ++part) {
          Buffer<std::int64_t>& count = cursors[part];
          count.assign(matrix.columns, 0);
          const std::int64_t last = matrix.row_offsets[part_begin(part + 1)];
          for (std::int64_t k = matrix.row_offsets[part_begin(part)]; k < last; ++k) {
            ++count[matrix.column_indices[k]];
          }
        }
      },
      threads);

  constexpr std::int64_t grain = 1 << 10;
  parallel_for(
      matrix.columns, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t column = begin; column < end; ++column) {
          std::int64_t length = 0;
          for (const Buffer<std::int64_t>& count : cursors) length += count[column];
          row_offsets[column + 1] = length;
        }
      },
      threads);
  lengths_to_offsets(row_offsets);
  parallel_for(
      matrix.columns, grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t column = begin; column < end; ++column) {
          std::int64_t position = row_offsets[column];
          for (Buffer<std::int64_t>& cursor : cursors) {
            position += std::exchange(cursor[column], position);
          }
        }
      },
      threads);

  parallel_for(
      parts, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t part = begin; part < end; ++part) {
          Buffer<std::int64_t>& cursor = cursors[part];
          const std::int64_t last_row = part_begin(part + 1);
          for (std::int64_t row = part_begin(part); row < last_row; ++row) {
            const std::int64_t last = matrix.row_offsets[row + 1];
            for (std::int64_t k = matrix.row_offsets[row]; k < last; ++k) {
              put(cursor[matrix.column_indices[k]]++, k, row);
            }
          }
        }
      },
      threads);
}

}  // namespace

template <class T>
CsrPattern transpose_pattern(const CsrView<T>& matrix, int threads) {
  CsrPattern result;
  result.column_indices.resize(matrix.nonzeros());
  transpose_into(matrix, result.row_offsets, threads,
                 [&](std::int64_t position, std::int64_t, std::int64_t row) {
                   result.column_indices[position] = static_cast<std::int32_t>(row);
                 });
  return result;
}

template <class T>
CsrMatrix<T> transpose(const CsrView<T>& matrix, int threads) {
  CsrMatrix<T> result;
  result.rows = matrix.columns;
  result.columns = matrix.rows;
  result.column_indices.resize(matrix.nonzeros());
  result.values.resize(matrix.nonzeros());
  transpose_into(matrix, result.row_offsets, threads,
                 [&](std::int64_t position, std::int64_t k, std::int64_t row) {
                   result.column_indices[position] = static_cast<std::int32_t>(row);
                   result.values[position] = matrix.values[static_cast<std::size_t>(k)];
                 });
  return result;
}

template CsrMatrix<float> transpose(const CsrView<float>&, int);
template CsrMatrix<double> transpose(const CsrView<double>&, int);
template CsrPattern transpose_pattern(const CsrView<float>&, int);
template CsrPattern transpose_pattern(const CsrView<double>&, int);

}  // namespace sparsecast
