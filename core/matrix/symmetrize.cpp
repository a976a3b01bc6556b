#include "core/matrix/symmetrize.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "core/base/threads/parallel_rows.hpp"

namespace sparsecast {
namespace {

constexpr std::int32_t after_all_columns = std::numeric_limits<std::int32_t>::max();

/// Calls `entry(column)` for the union of two rising lists and one column, rising.
template <class Entry>
void merge(std::span<const std::int32_t> a, std::span<const std::int32_t> b, std::int32_t diagonal,
           const Entry& entry) {
  std::size_t i = 0;
  std::size_t j = 0;
  bool diagonal_open = true;
  while (i < a.size() || j < b.size() || diagonal_open) {
    const std::int32_t from_a = i < a.size() ? a[i] : after_all_columns;
    const std::int32_t from_b = j < b.size() ? b[j] : after_all_columns;
    const std::int32_t column =
        std::min({from_a, from_b, diagonal_open ? diagonal : after_all_columns});
    i += from_a == column;
    j += from_b == column;
    diagonal_open = diagonal_open && diagonal != column;
    entry(column);
  }
}

}  // namespace

template <class T>
CsrPattern symmetrize_pattern(const CsrView<T>& matrix, int threads) {
  const CsrPattern transposed = transpose_pattern(matrix, threads);
  const auto visit = [&](std::int64_t row, const auto& entry) {
    const auto part = [row](const auto& offsets, std::span<const std::int32_t> columns) {
      return columns.subspan(offsets[row], offsets[row + 1] - offsets[row]);
    };
    merge(part(matrix.row_offsets, matrix.column_indices),
          part(transposed.row_offsets, transposed.column_indices), static_cast<std::int32_t>(row),
          entry);
  };
  CsrPattern result;
  result.row_offsets.resize(matrix.rows + 1);
  parallel_rows(
      matrix.row_offsets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          std::int64_t length = 0;
          visit(row, [&](std::int32_t) { ++length; });
          result.row_offsets[row + 1] = length;
        }
      },
      threads);
  lengths_to_offsets(result.row_offsets);
  result.column_indices.resize(result.row_offsets[matrix.rows]);
  parallel_rows(
      result.row_offsets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          std::int32_t* columns = &result.column_indices[result.row_offsets[row]];
          visit(row, [&](std::int32_t column) { *columns++ = column; });
        }
      },
      threads);
  return result;
}

template CsrPattern symmetrize_pattern(const CsrView<float>&, int);
template CsrPattern symmetrize_pattern(const CsrView<double>&, int);

}  // namespace sparsecast
