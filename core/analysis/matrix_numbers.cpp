#include "core/analysis/matrix_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>

#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "core/base/threads/parallel_rows.hpp"

namespace sparsecast {
namespace {

__extension__ using WideInteger = unsigned __int128;

/// Shares of rows are added up in whole numbers of this part: the same in any order.
constexpr double parts_of_share = 0x1p40;

/// What is added up over the entries of some rows.
struct ColumnSums {
  std::int64_t filled_rows = 0;
  std::int64_t longest = 0;
  std::int64_t adjacent = 0;  ///< pairs of entries
  WideInteger length_squares = 0;
  WideInteger distances = 0;
  WideInteger shares = 0;

  void add(const ColumnSums& other) {
    filled_rows += other.filled_rows;
    longest = std::max(longest, other.longest);
    adjacent += other.adjacent;
    length_squares += other.length_squares;
    distances += other.distances;
    shares += other.shares;
  }
};

/// How many of these rising columns lie at most one from one of the others, which rise too.
template <class Columns>
std::int64_t similar(const Columns& columns, const Columns& others) {
  std::int64_t found = 0;
  auto other = others.begin();
  for (const std::int64_t column : columns) {
    while (other != others.end() && *other < column - 1) ++other;
    if (other == others.end()) break;
    found += *other <= column + 1;
  }
  return found;
}

void add_row(const PatternView& matrix, std::int64_t row, ColumnSums& sums) {
  const auto columns_of = [&](std::int64_t of) {
    const std::int64_t first = matrix.row_offsets[of];
    return matrix.column_indices.subspan(
        static_cast<std::size_t>(first),
        static_cast<std::size_t>(matrix.row_offsets[of + 1] - first));
  };
  const auto columns = columns_of(row);
  const auto length = static_cast<std::int64_t>(columns.size());
  if (length == 0) return;
  ++sums.filled_rows;
  sums.longest = std::max(sums.longest, length);
  sums.length_squares += static_cast<WideInteger>(length) * static_cast<WideInteger>(length);
  std::int64_t before = columns[0];
  for (const std::int64_t column : columns) {
    sums.distances += static_cast<WideInteger>(std::abs(column - row));
    sums.adjacent += column - before == 1;
    before = column;
  }
  std::int64_t next = row + 1;
  while (next < matrix.rows && matrix.row_offsets[next + 1] == matrix.row_offsets[next]) ++next;
  if (next >= matrix.rows) return;
  const double share =
      static_cast<double>(similar(columns, columns_of(next))) / static_cast<double>(length);
  sums.shares += static_cast<WideInteger>(std::llround(share * parts_of_share));
}

}  // namespace

RowNumbers count_row_numbers(const PatternView& matrix, int threads) {
  ColumnSums sums;
  std::mutex mutex;
  parallel_rows(
      matrix.row_offsets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        ColumnSums part;
        for (std::int64_t row = begin; row < end; ++row) add_row(matrix, row, part);
        const std::lock_guard<std::mutex> lock(mutex);
        sums.add(part);
      },
      threads);
  RowNumbers numbers;
  const auto nonzeros = static_cast<double>(matrix.nonzeros());
  if (nonzeros == 0) {
    numbers.mean_distance = numbers.neighbours = numbers.similarity = 0;
    return numbers;
  }
  const auto rows = static_cast<WideInteger>(matrix.rows);
  const auto total = static_cast<WideInteger>(matrix.nonzeros());
  numbers.deviation = std::sqrt(static_cast<double>(sums.length_squares * rows - total * total)) /
                      static_cast<double>(matrix.rows);
  numbers.longest = static_cast<double>(sums.longest);
  numbers.mean_distance = static_cast<double>(sums.distances) / nonzeros;
  numbers.neighbours = 2 * static_cast<double>(sums.adjacent) / nonzeros;
  numbers.similarity =
      static_cast<double>(sums.shares) / parts_of_share / static_cast<double>(sums.filled_rows);
  return numbers;
}

KnownNumbers known_numbers(const RowNumbers& numbers) {
  if (!(numbers.deviation > 0) && !(numbers.longest > 0)) return KnownNumbers::sizes;
  return numbers.mean_distance && numbers.neighbours ? KnownNumbers::columns
                                                     : KnownNumbers::row_lengths;
}

double longest_row(const RowNumbers& numbers, double rows, double mean) {
  if (numbers.longest > 0) return numbers.longest;
  return std::min(rows, mean + 3 * numbers.deviation);
}

void check_row_numbers(const RowNumbers& numbers, double rows, double nonzeros) {
  const auto refuse = [](const std::string& what) { throw Error(what); };
  if (!(numbers.deviation >= 0 && numbers.deviation <= rows)) {
    refuse("a row deviation must lie from 0 to the number of unknowns");
  }
  const double mean = nonzeros / rows;
  if (numbers.longest != 0 && !(numbers.longest >= mean && numbers.longest <= rows)) {
    refuse("a longest row must have from " + short_number(mean) +
           " entries, the mean, to the number of unknowns");
  }
  const auto& distance = numbers.mean_distance;
  if (distance && !(*distance >= 0 && *distance <= rows - 1)) {
    refuse("a mean distance from the diagonal must lie from 0 to the number of unknowns less 1");
  }
  if (numbers.neighbours && !(*numbers.neighbours >= 0 && *numbers.neighbours <= 2)) {
    refuse("neighbours of an entry in its row must lie from 0 to 2");
  }
  if (numbers.similarity && !(*numbers.similarity >= 0 && *numbers.similarity <= 1)) {
    refuse("a similarity of neighbouring rows must lie from 0 to 1");
  }
}

}  // namespace sparsecast
