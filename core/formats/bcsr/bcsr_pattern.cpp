#include "core/formats/bcsr/bcsr_pattern.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/threads/thread_team.hpp"
#include "core/formats/bcsr/visit_blocks.hpp"

namespace sparsecast {

BlockPattern::BlockPattern(const PatternView& matrix, int block_size, int threads) {
  view_ = {block_size, matrix.rows, matrix.columns, matrix.row_offsets, matrix.column_indices};
  if (block_size == 1) return;
  // The rows are merged once, each part's block columns put into an array of its own.
  constexpr std::int64_t rows_per_part = 4096;
  const std::int64_t block_rows = (matrix.rows + block_size - 1) / block_size;
  const std::int64_t parts = (block_rows + rows_per_part - 1) / rows_per_part;
  std::vector<Buffer<std::int32_t>> columns_of(static_cast<std::size_t>(parts));
  block_offsets_.resize(static_cast<std::size_t>(block_rows) + 1);
  block_offsets_[0] = 0;
  const auto for_each_part = [&](const auto& body) {
    parallel_for(
        parts, 1,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t part = begin; part < end; ++part) {
            const std::int64_t first = part * rows_per_part;
            body(static_cast<std::size_t>(part), first,
                 std::min(block_rows, first + rows_per_part));
          }
        },
        threads);
  };
  with_block_size(block_size, [&](auto size) {
    constexpr int n = size();
    for_each_part([&](std::size_t part, std::int64_t first, std::int64_t last) {
      Buffer<std::int32_t>& columns = columns_of[part];
      columns.resize(static_cast<std::size_t>(matrix.row_offsets[std::min(last * n, matrix.rows)] -
                                              matrix.row_offsets[first * n]));
      std::int32_t* place = columns.data();
      for (std::int64_t k = first; k < last; ++k) {
        const std::int32_t* const before = place;
        visit_blocks<n>(matrix, k * n, matrix.rows,
                        [&place](std::int32_t block_column, const auto&, const auto&) {
                          *place++ = block_column;
                        });
        block_offsets_[static_cast<std::size_t>(k) + 1] = place - before;
      }
      columns.resize(static_cast<std::size_t>(place - columns.data()));
    });
  });
  std::partial_sum(block_offsets_.begin(), block_offsets_.end(), block_offsets_.begin());
  block_columns_.resize(static_cast<std::size_t>(block_offsets_.back()));
  for_each_part([&](std::size_t part, std::int64_t first, std::int64_t) {
    std::ranges::copy(columns_of[part],
                      block_columns_.begin() + block_offsets_[static_cast<std::size_t>(first)]);
  });
  view_.block_offsets = block_offsets_;
  view_.block_columns = block_columns_;
}

}  // namespace sparsecast
