#include "core/formats/bcsr/bcsr_pattern.hpp"

#include <algorithm>

#include "core/base/threads/thread_team.hpp"
#include "core/formats/bcsr/visit_blocks.hpp"

namespace sparsecast {

template <class T>
BcsrMatrix<T> bcsr_pattern(const CsrView<T>& matrix, const Layout& layout, int threads) {
  constexpr std::int64_t rows_per_part = 4096;
  BcsrMatrix<T> result;
  result.block_size = layout.block_size;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.block_offsets =
      count_blocks(matrix.pattern(), {0, matrix.rows}, layout.block_size, threads);
  result.block_rows = static_cast<std::int64_t>(result.block_offsets.size()) - 1;
  result.block_columns.resize(static_cast<std::size_t>(result.block_offsets.back()));
  with_block_size(layout.block_size, [&](auto size) {
    constexpr int n = size();
    parallel_for(
        result.block_rows, rows_per_part,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = begin; k < end; ++k) {
            std::int32_t* place = result.block_columns.data() + result.block_offsets[k];
            visit_blocks<n>(matrix.pattern(), k * n, matrix.rows,
                            [&place](std::int32_t block_column, const auto&, const auto&) {
                              *place++ = block_column;
                            });
          }
        },
        threads);
  });
  return result;
}

template BcsrMatrix<float> bcsr_pattern(const CsrView<float>&, const Layout&, int);
template BcsrMatrix<double> bcsr_pattern(const CsrView<double>&, const Layout&, int);

}  // namespace sparsecast
