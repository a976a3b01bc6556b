#include "core/engine/ranks/generated_rank_matrix.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/base/threads/thread_team.hpp"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/row_cut.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t grain = 1 << 10;  // rows, or units of them

void sort_once(Buffer<std::int64_t>& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// The entries of the units that this rank counts for the cut.
CountedUnits count_entries(const Communicator& ranks, const GridStencil& stencil, int unit_rows,
                           int threads) {
  CountedUnits counted = units_to_count(ranks, stencil.rows(), unit_rows);
  parallel_for(
      std::ssize(counted.counts), grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t unit = begin; unit < end; ++unit) {
          const std::int64_t first = (counted.first + unit) * unit_rows;
          const std::int64_t last = std::min(stencil.rows(), first + unit_rows);
          for (std::int64_t row = first; row < last; ++row) {
            counted.counts[unit] += stencil.length(row);
          }
        }
      },
      threads);
  return counted;
}

/// The entries of the rows that this rank counts for the cut.
Buffer<WholeEntry> counted_entries(const Communicator& ranks, const GridStencil& stencil,
                                   int unit_rows) {
  const CountedUnits counted = units_to_count(ranks, stencil.rows(), unit_rows);
  const std::int64_t begin = counted.first * unit_rows;
  const std::int64_t end = std::min(stencil.rows(), begin + std::ssize(counted.counts) * unit_rows);
  std::int64_t count = 0;
  for (std::int64_t row = begin; row < end; ++row) count += stencil.length(row);
  Buffer<WholeEntry> entries;
  entries.reserve(static_cast<std::size_t>(count));
  for (std::int64_t row = begin; row < end; ++row) {
    stencil.visit(row, [&](std::int64_t column, double value) {
      entries.push_back({row, column, value});
    });
  }
  return entries;
}

/// Columns of the rows `[begin, end)` that are none of them: not once for each entry, of which
/// there may be many, but once or a few times each.
Buffer<std::int64_t> foreign_columns(const GridStencil& stencil, std::int64_t begin,
                                     std::int64_t end, int threads) {
  constexpr std::size_t many = 1 << 16;
  Buffer<std::int64_t> foreign;
  std::mutex adding;
  parallel_for(
      end - begin, grain,
      [&](std::int64_t first, std::int64_t last) {
        Buffer<std::int64_t> some;
        const auto add = [&] {
          sort_once(some);
          const std::lock_guard lock(adding);
          foreign.insert(foreign.end(), some.begin(), some.end());
          some.clear();
        };
        for (std::int64_t row = begin + first; row < begin + last; ++row) {
          stencil.visit(row, [&](std::int64_t column, double) {
            if (column < begin || column >= end) some.push_back(column);
          });
          if (some.size() >= many) add();
        }
        add();
      },
      threads);
  return foreign;
}

/// The rows of a rank, written in the numbers of its part where they stay.
class PartRows {
 public:
  PartRows(const GridStencil& stencil, const PartNumbers& numbers, std::int64_t first_row)
      : stencil_(stencil), numbers_(numbers), begin_(first_row) {}

  CsrMatrix<double> make(bool with_columns, int threads) const {
    CsrMatrix<double> matrix;
    matrix.rows = matrix.columns = numbers_.count();
    matrix.row_offsets.assign(static_cast<std::size_t>(matrix.rows) + 1, 0);
    for_rows(with_columns, threads, [&](std::int64_t row, std::int64_t place) {
      std::int64_t& length = matrix.row_offsets[place + 1];
      visit(row, [&](std::int64_t, double) { ++length; });
    });
    lengths_to_offsets(matrix.row_offsets);
    const auto nonzeros = static_cast<std::size_t>(matrix.row_offsets.back());
    matrix.column_indices.resize(nonzeros);
    matrix.values.resize(nonzeros);
    for_rows(with_columns, threads, [&](std::int64_t row, std::int64_t place) {
      std::int64_t next = matrix.row_offsets[place];
      visit(row, [&](std::int64_t column, double value) {
        matrix.column_indices[next] = numbers_.of(column);
        matrix.values[next++] = value;
      });
    });
    return matrix;
  }

 private:
  bool owns(std::int64_t row) const {
    return row >= begin_ && row < begin_ + numbers_.own().rows();
  }

  /// Calls `body(row, its number)` for the own rows and, where columns are wanted, for those of the
  /// halo: the pattern is symmetric, so no others have entries in own columns.
  template <class Body>
  void for_rows(bool with_columns, int threads, const Body& body) const {
    const Segment own = numbers_.own();
    parallel_for(
        own.rows(), grain,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) body(begin_ + i, own.begin_row + i);
        },
        threads);
    if (!with_columns) return;
    for (const std::int64_t row : numbers_.halo()) body(row, numbers_.of(row));
  }

  /// All entries of an own row, those in own columns of another.
  template <class Take>
  void visit(std::int64_t row, const Take& take) const {
    const bool whole = owns(row);
    stencil_.visit(row, [&](std::int64_t column, double value) {
      if (whole || owns(column)) take(column, value);
    });
  }

  const GridStencil& stencil_;
  const PartNumbers& numbers_;
  const std::int64_t begin_;
};

}  // namespace

RankMatrix generate_rank_matrix(Communicator& ranks, const GridStencil& stencil,
                                const RankMatrixOptions& options) {
  const int unit_rows = std::lcm(options.rows_together, options.row_alignment);
  if (options.cut) {
    Buffer<WholeEntry> entries;
    do_together(ranks, [&] { entries = counted_entries(ranks, stencil, unit_rows); });
    return distribute(ranks, stencil.rows(), std::move(entries), options);
  }
  CountedUnits counted;
  do_together(ranks, [&] { counted = count_entries(ranks, stencil, unit_rows, options.threads); });
  RankMatrix result;
  result.part.ranks = &ranks;
  result.part.rows = cut_rows(ranks, stencil.rows(), unit_rows, std::move(counted));
  PartNumbers numbers;
  do_together(ranks, [&] {
    const RankRows& rows = result.part.rows;
    const std::int64_t begin = rows.begin(ranks.rank());
    numbers = PartNumbers(rows, ranks.rank(),
                          foreign_columns(stencil, begin, rows.end(ranks.rank()), options.threads),
                          options.rows_together, options.row_alignment);
    result.matrix = PartRows(stencil, numbers, begin).make(options.with_columns, options.threads);
  });
  result.part.own = numbers.own();
  result.part.halo = plan_halo(ranks, result.part.rows, numbers);
  const std::int64_t nonzeros = result.part.own.nonzeros(result.matrix.row_offsets);
  result.nonzeros = static_cast<std::int64_t>(ranks.sum(static_cast<double>(nonzeros)));
  return result;
}

}  // namespace sparsecast
