#include "core/formats/bcsr/bcsr_pattern.hpp"

#include <algorithm>

#include "core/base/threads/thread_team.hpp"
#include "core/formats/bcsr/visit_blocks.hpp"

namespace sparsecast {

BlockPattern::BlockPattern(const PatternView& matrix, int block_size, int threads) {
  view_ = {block_size, matrix.rows, matrix.columns, matrix.row_offsets, matrix.column_indices};
  if (block_size == 1) return;
  constexpr std::int64_t rows_per_part = 4096;
  block_offsets_ = count_blocks(matrix, {0, matrix.rows}, block_size, threads);
  block_columns_.resize(static_cast<std::size_t>(block_offsets_.back()));
  view_.block_offsets = block_offsets_;
  view_.block_columns = block_columns_;
  with_block_size(block_size, [&](auto size) {
    constexpr int n = size();
    parallel_for(
        view_.block_rows(), rows_per_part,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = begin; k < end; ++k) {
            std::int32_t* place =
                block_columns_.data() + block_offsets_[static_cast<std::size_t>(k)];
            visit_blocks<n>(matrix, k * n, matrix.rows,
                            [&place](std::int32_t block_column, const auto&, const auto&) {
                              *place++ = block_column;
                            });
          }
        },
        threads);
  });
}

}  // namespace sparsecast
