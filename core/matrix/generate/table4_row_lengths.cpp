#include "core/matrix/generate/table4_row_lengths.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/random_stream.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/matrix/renumber.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {
namespace {

/// The matrix with these row lengths whose columns `fill(row, columns)` sets, rising.
template <class Fill>
CsrMatrix<double> matrix_of_rows(const std::vector<std::int64_t>& lengths, std::int64_t columns,
                                 std::uint64_t seed, const Fill& fill, int threads) {
  CsrMatrix<double> matrix;
  matrix.rows = static_cast<std::int64_t>(lengths.size());
  matrix.columns = columns;
  matrix.row_offsets.resize(matrix.rows + 1);
  matrix.row_offsets[0] = 0;
  std::copy(lengths.begin(), lengths.end(), matrix.row_offsets.begin() + 1);
  lengths_to_offsets(matrix.row_offsets);
  matrix.column_indices.resize(matrix.row_offsets[matrix.rows]);
  matrix.values.resize(matrix.row_offsets[matrix.rows]);
  parallel_rows(
      matrix.row_offsets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t first = matrix.row_offsets[row];
          fill(row, std::span(&matrix.column_indices[first], lengths[row]));
          for (std::int64_t k = first; k < matrix.row_offsets[row + 1]; ++k) {
            matrix.values[k] = symmetric_value(seed, row, matrix.column_indices[k]);
          }
        }
      },
      threads);
  return matrix;
}

/// Lengths by rank, given to the rows in random order.
std::vector<std::int64_t> in_random_order(const std::vector<std::int64_t>& by_rank,
                                          std::uint64_t seed) {
  const auto rows = static_cast<std::int64_t>(by_rank.size());
  const Permutation rank = random_permutation(rows, scramble(seed));
  std::vector<std::int64_t> lengths(rows);
  for (std::int64_t row = 0; row < rows; ++row) lengths[row] = by_rank[rank[row]];
  return lengths;
}

/// The links of a page; the first, second, ... of its stream until there are enough different ones.
void draw_links(std::int64_t row, std::int64_t pages, RandomStream random,
                std::span<std::int32_t> links) {
  const auto count = static_cast<std::int64_t>(links.size());
  const std::int64_t nearby = std::min(pages, 8 * count + 64);
  const std::int64_t first_nearby = std::clamp<std::int64_t>(row - nearby / 2, 0, pages - nearby);
  // Low ranks are drawn more often. A number without a common divisor with that of the pages
  // spreads them.
  constexpr std::int64_t spread = 611953;
  std::vector<std::int32_t> drawn;
  while (static_cast<std::int64_t>(drawn.size()) < count) {
    for (auto missing = count - static_cast<std::int64_t>(drawn.size()); missing > 0; --missing) {
      const std::int64_t rank = random.below(random.below(random.below(pages) + 1) + 1);
      const bool is_nearby = (random.bits() & 1) != 0;
      const std::int64_t page =
          is_nearby ? first_nearby + random.below(nearby - 1) : rank * spread % pages;
      drawn.push_back(static_cast<std::int32_t>(page));
      if (is_nearby && missing > 1) {
        drawn.push_back(static_cast<std::int32_t>(page + 1));
        --missing;
      }
    }
    std::ranges::sort(drawn);
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  }
  std::ranges::copy(drawn, links.begin());
}

}  // namespace

CsrMatrix<double> web_links(std::int64_t rows, std::int64_t nonzeros, std::int64_t longest_row,
                            std::uint64_t seed, int threads) {
  constexpr std::int64_t steepness = 28;
  std::vector<std::int64_t> by_rank(rows);
  by_rank[0] = longest_row;
  for (std::int64_t rank = 1; rank < rows; ++rank) {
    by_rank[rank] = 1 + rank % 3 + longest_row * steepness / (rank + steepness);
  }
  // What rounding left over goes to rows all over.
  const std::int64_t left = nonzeros - std::reduce(by_rank.begin(), by_rank.end());
  for (std::int64_t rank = 1; rank < rows; ++rank) {
    by_rank[rank] += (rank + 1) * left / rows - rank * left / rows;
  }
  return matrix_of_rows(
      in_random_order(by_rank, seed), rows, seed,
      [&](std::int64_t row, std::span<std::int32_t> columns) {
        draw_links(row, rows, RandomStream(seed, static_cast<std::uint64_t>(row)), columns);
      },
      threads);
}

CsrMatrix<double> linear_program(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                                 std::int64_t longest_row, std::int64_t typical_row,
                                 std::uint64_t seed, int threads) {
  constexpr std::int64_t steepness = 43;
  constexpr std::int64_t run_length = 4;
  const std::int64_t head = rows / 3;
  const std::int64_t tail = rows - head;
  std::vector<std::int64_t> by_rank(rows);
  for (std::int64_t rank = 0; rank < head; ++rank) {
    by_rank[rank] = typical_row + (longest_row - typical_row) * steepness * (head - rank) /
                                      ((rank + steepness) * head);
  }
  // What is left falls linearly: rows take their shares of a triangle.
  const std::int64_t left = nonzeros - std::reduce(by_rank.begin(), by_rank.begin() + head);
  const auto triangle = [&](std::int64_t count) { return count * (2 * tail + 1 - count) / 2; };
  for (std::int64_t place = 0; place < tail; ++place) {
    by_rank[head + place] =
        left * triangle(place + 1) / triangle(tail) - left * triangle(place) / triangle(tail);
  }
  return matrix_of_rows(
      in_random_order(by_rank, seed), columns, seed,
      [&](std::int64_t row, std::span<std::int32_t> entries) {
        RandomStream random(seed, static_cast<std::uint64_t>(row));
        // A run in each of as many ranges, which are longer than a run.
        const auto count = static_cast<std::int64_t>(entries.size());
        const std::int64_t runs = (count + run_length - 1) / run_length;
        for (std::int64_t run = 0; run < runs; ++run) {
          const std::int64_t begin = run * columns / runs;
          const std::int64_t end = (run + 1) * columns / runs;
          const std::int64_t column = begin + random.below(end - begin - run_length + 1);
          for (std::int64_t k = run * run_length; k < std::min(count, (run + 1) * run_length);
               ++k) {
            entries[k] = static_cast<std::int32_t>(column + k - run * run_length);
          }
        }
      },
      threads);
}

CsrMatrix<double> full_rows(std::int64_t rows, std::int64_t columns, std::uint64_t seed,
                            int threads) {
  return matrix_of_rows(
      std::vector<std::int64_t>(rows, columns), columns, seed,
      [](std::int64_t, std::span<std::int32_t> entries) {
        std::iota(entries.begin(), entries.end(), 0);
      },
      threads);
}

}  // namespace sparsecast
