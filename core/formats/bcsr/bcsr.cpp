#include "core/formats/bcsr/bcsr.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/formats/bcsr/visit_blocks.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t rows_per_part = 4096;

}  // namespace

Buffer<std::int32_t> rows_by_falling_length(std::span<const std::int64_t> offsets) {
  const std::size_t block_rows = offsets.size() - 1;
  std::int64_t longest = 0;
  for (std::size_t k = 0; k < block_rows; ++k) {
    longest = std::max(longest, offsets[k + 1] - offsets[k]);
  }
  // Counting sort: position[l] is where the next block row of length longest - l goes.
  std::vector<std::int32_t> position(static_cast<std::size_t>(longest) + 2, 0);
  const auto key = [&](std::size_t k) {
    return static_cast<std::size_t>(longest - (offsets[k + 1] - offsets[k]));
  };
  for (std::size_t k = 0; k < block_rows; ++k) ++position[key(k) + 1];
  std::partial_sum(position.begin(), position.end(), position.begin());
  Buffer<std::int32_t> order(block_rows);
  for (std::size_t k = 0; k < block_rows; ++k) {
    order[static_cast<std::size_t>(position[key(k)]++)] = static_cast<std::int32_t>(k);
  }
  return order;
}

template <class T>
std::int64_t BcsrMatrix<T>::bytes() const {
  return static_cast<std::int64_t>(
      block_offsets.size() * sizeof(std::int64_t) + block_columns.size() * sizeof(std::int32_t) +
      values.size() * sizeof(T) + row_index.size() * sizeof(std::int32_t));
}

Buffer<std::int64_t> count_blocks(const PatternView& matrix, const Segment& segment, int block_size,
                                  int threads) {
  return with_block_size(block_size, [&](auto size) {
    constexpr int n = size();
    require_segment(segment, matrix.rows, n);
    const std::int64_t block_rows = (segment.rows() + n - 1) / n;
    Buffer<std::int64_t> offsets(static_cast<std::size_t>(block_rows) + 1);
    offsets[0] = 0;
    parallel_for(
        block_rows, rows_per_part,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = begin; k < end; ++k) {
            const std::int64_t first_row = segment.begin_row + k * n;
            std::int64_t blocks = 0;
            if constexpr (n == 1) {
              blocks = matrix.row_offsets[first_row + 1] - matrix.row_offsets[first_row];
            } else {
              visit_blocks<n>(matrix, first_row, segment.end_row,
                              [&](std::int32_t, const auto&, const auto&) { ++blocks; });
            }
            offsets[static_cast<std::size_t>(k) + 1] = blocks;
          }
        },
        threads);
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return offsets;
  });
}

template <class T>
BcsrMatrix<T> convert_to_bcsr(const CsrView<T>& matrix, const Segment& segment,
                              const Layout& layout, int threads) {
  BcsrMatrix<T> result;
  result.block_size = layout.block_size;
  result.rows = segment.rows();
  result.columns = matrix.columns;
  result.block_offsets = count_blocks(matrix.pattern(), segment, layout.block_size, threads);
  const std::size_t block_rows = result.block_offsets.size() - 1;
  result.block_rows = static_cast<std::int64_t>(block_rows);
  if (layout.row_order == RowOrder::sorted) {
    result.row_index = rows_by_falling_length(result.block_offsets);
    Buffer<std::int64_t> offsets(block_rows + 1);
    offsets[0] = 0;
    for (std::size_t k = 0; k < block_rows; ++k) {
      const auto row = static_cast<std::size_t>(result.row_index[k]);
      offsets[k + 1] = offsets[k] + result.block_offsets[row + 1] - result.block_offsets[row];
    }
    result.block_offsets = std::move(offsets);
  }
  const auto blocks = static_cast<std::size_t>(result.block_offsets.back());
  result.block_columns.resize(blocks);
  with_block_size(layout.block_size, [&](auto size) {
    constexpr int n = size();
    result.values.resize(blocks * n * n);
    const auto fill = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const auto stored = static_cast<std::size_t>(k);
        const std::int64_t row = result.row_index.empty() ? k : result.row_index[stored];
        const std::int64_t first_row = segment.begin_row + row * n;
        std::int64_t block = result.block_offsets[stored];
        if constexpr (n == 1) {
          const std::int64_t from = matrix.row_offsets[first_row];
          const std::int64_t count = result.block_offsets[stored + 1] - block;
          std::copy_n(matrix.column_indices.data() + from, count,
                      result.block_columns.data() + block);
          std::copy_n(matrix.values.data() + from, count, result.values.data() + block);
        } else {
          visit_blocks<n>(matrix.pattern(), first_row, segment.end_row,
                          [&](std::int32_t block_column, const auto& first, const auto& last) {
                            result.block_columns[static_cast<std::size_t>(block)] = block_column;
                            T* values = result.values.data() + block * n * n;
                            std::fill_n(values, n * n, T{0});
                            for (std::size_t i = 0; i < n; ++i, values += n) {
                              for (std::int64_t e = first[i]; e < last[i]; ++e) {
                                const auto entry = static_cast<std::size_t>(e);
                                values[matrix.column_indices[entry] - block_column * n] =
                                    matrix.values[entry];
                              }
                            }
                            ++block;
                          });
        }
      }
    };
    parallel_for(result.block_rows, rows_per_part, fill, threads);
  });
  return result;
}

template struct BcsrMatrix<float>;
template struct BcsrMatrix<double>;
template BcsrMatrix<float> convert_to_bcsr(const CsrView<float>&, const Segment&, const Layout&,
                                           int);
template BcsrMatrix<double> convert_to_bcsr(const CsrView<double>&, const Segment&, const Layout&,
                                            int);

}  // namespace sparsecast
