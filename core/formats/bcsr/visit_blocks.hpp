#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// Visits the non-empty blocks of one block row in rising order: merges its N rows.
/// `visit(block_column, first, last)` gets, per row, the range of entries that lie in the block.
template <int N, class Visit>
void visit_blocks(const PatternView& matrix, std::int64_t first_row, std::int64_t end_row,
                  const Visit& visit) {
  std::array<std::int64_t, N> first{};
  std::array<std::int64_t, N> last{};
  std::array<std::int64_t, N> end{};
  const auto rows = static_cast<std::size_t>(std::min<std::int64_t>(N, end_row - first_row));
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int64_t row = first_row + static_cast<std::int64_t>(i);
    last[i] = matrix.row_offsets[row];
    end[i] = matrix.row_offsets[row + 1];
  }
  const std::int32_t* columns = matrix.column_indices.data();
  constexpr std::int64_t none = std::int64_t{1} << 32;
  while (true) {
    std::int64_t column = none;
    for (std::size_t i = 0; i < N; ++i) {
      if (last[i] < end[i]) column = std::min<std::int64_t>(column, columns[last[i]]);
    }
    if (column == none) return;
    const std::int64_t block_column = column / N;
    const std::int64_t block_end = (block_column + 1) * N;
    for (std::size_t i = 0; i < N; ++i) {
      first[i] = last[i];
      while (last[i] < end[i] && columns[last[i]] < block_end) ++last[i];
    }
    visit(static_cast<std::int32_t>(block_column), first, last);
  }
}

}  // namespace sparsecast
