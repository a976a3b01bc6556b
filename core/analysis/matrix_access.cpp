#include "core/analysis/matrix_access.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/analysis/partition.hpp"
#include "core/base/buffer.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/formats/bcsr/block_row_lengths.hpp"

namespace sparsecast {
namespace {

__extension__ using WideInteger = unsigned __int128;

/// By bit_width(row ^ last_row); [32]: never before (as 32 bits of row ^ -1).
using LookupCounts = std::array<std::int64_t, 33>;

void add(const LookupCounts& part, LookupCounts& sums) {
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += part[k];
}

std::size_t distance(std::int32_t row, std::int32_t last_row) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(row ^ last_row)));
}

/// The sector look-ups of a range of rows, and then of others below it. A sector holds 4 values of
/// f64; two neighbours (a pair) make one of f32, which the later of them looked up last.
class SectorLookups {
 public:
  explicit SectorLookups(std::int64_t columns)
      : last_(static_cast<std::size_t>(pairs(columns) * 2), never) {
    first_.resize(last_.size());
  }

  static std::int64_t pairs(std::int64_t columns) { return (columns + 7) / 8; }

  /// Begins with a range of rows, all below those that were added before.
  void begin_range(std::int64_t row) {
    begin_row_ = static_cast<std::int32_t>(row);
    f32_ = {};
    f64_ = {};
  }

  void add_row(std::span<const std::int32_t> columns, std::int32_t row) {
    for (const std::int32_t column : columns) {
      const auto sector = static_cast<std::uint32_t>(column) / 4;
      const std::int32_t last = of_range(last_[sector]);
      ++f64_[distance(row, last)];
      ++f32_[distance(row, of_range(std::max(last, last_[sector ^ 1])))];
      if (last == never) first_[sector] = row;
      last_[sector] = row;
    }
  }

  /// Corrects the counts of the pairs [begin, end) of ranges, in the order of their rows: what was
  /// never looked up before in its own range may have been in an earlier one.
  template <class Ranges>
  static void join(const Ranges& ranges, std::int64_t begin, std::int64_t end, LookupCounts& f32,
                   LookupCounts& f64) {
    for (std::int64_t pair = begin; pair < end; ++pair) {
      std::array<std::int32_t, 2> last{never, never};
      for (const auto& one : ranges) {
        const SectorLookups& range = one->lookups;
        const auto sector = static_cast<std::size_t>(2 * pair);
        const std::array first{range.first_of(sector), range.first_of(sector + 1)};
        // The first look-up of the pair: as unsigned numbers, never is the last row of all.
        const auto first_of_pair = static_cast<std::int32_t>(
            std::min(static_cast<std::uint32_t>(first[0]), static_cast<std::uint32_t>(first[1])));
        if (first_of_pair == never) continue;
        move(first_of_pair, std::max(last[0], last[1]), f32);
        for (std::size_t half = 0; half < 2; ++half) {
          if (first[half] == never) continue;
          move(first[half], last[half], f64);
          last[half] = range.last_[sector + half];
        }
      }
    }
  }

  std::int32_t begin_row() const { return begin_row_; }
  const LookupCounts& f32() const { return f32_; }
  const LookupCounts& f64() const { return f64_; }

 private:
  static constexpr std::int32_t never = -1;

  /// A row that looked something up, unless it is of a range before.
  std::int32_t of_range(std::int32_t row) const { return row < begin_row_ ? never : row; }
  std::int32_t first_of(std::size_t sector) const {
    return last_[sector] < begin_row_ ? never : first_[sector];
  }

  static void move(std::int32_t row, std::int32_t last_row, LookupCounts& counts) {
    --counts[distance(row, never)];
    ++counts[distance(row, last_row)];
  }

  std::int32_t begin_row_ = 0;
  Buffer<std::int32_t> last_;   ///< row that looked the sector up last, also one of a range before
  Buffer<std::int32_t> first_;  ///< and first, of this range, where the last is
  LookupCounts f32_{};
  LookupCounts f64_{};
};

/// What a range of rows is counted with.
struct RangeCounter {
  explicit RangeCounter(std::int64_t columns) : lookups(columns), block_rows(columns) {}

  SectorLookups lookups;
  BlockRowCounter block_rows;
};

/// What segments are counted with, one below the other.
struct SegmentCounter {
  BlockRowLengths lengths;  ///< as long as the matrix
  std::vector<std::unique_ptr<RangeCounter>> free;
};

std::array<double, 34> as_pattern(const LookupCounts& counts) {
  std::array<double, 34> lookups{};
  std::copy(counts.begin(), counts.end() - 1, lookups.begin());
  lookups.back() = static_cast<double>(counts.back());
  return lookups;
}

using WarpSteps = std::array<std::int64_t, 6>;
constexpr std::int64_t warp = 32;

/// Passes of 2^k lanes over a row.
std::int64_t passes(std::int64_t blocks, std::size_t k) {
  return (blocks + (std::int64_t{1} << k) - 1) >> k;
}

/// Adds the steps of up to 32 neighbouring block rows, and overwrites their lengths.
void add_warps(std::span<std::int64_t> lengths, WarpSteps& steps) {
  std::size_t groups = lengths.size();
  for (std::size_t k = steps.size(); k-- > 0;) {
    for (std::size_t group = 0; group < groups; ++group) steps[k] += passes(lengths[group], k);
    for (std::size_t group = 0; group < groups; group += 2) {
      lengths[group / 2] =
          std::max(lengths[group], group + 1 < groups ? lengths[group + 1] : std::int64_t{0});
    }
    groups = (groups + 1) / 2;
  }
}

/// The same of block rows stored by falling length, of which there are so many of each length.
WarpSteps sorted_steps(const std::vector<std::int64_t>& rows_of_length) {
  WarpSteps steps{};
  std::int64_t position = 0;
  for (std::size_t length = rows_of_length.size(); length-- > 0;) {
    const std::int64_t end = position + rows_of_length[length];
    for (std::size_t k = 0; k < steps.size(); ++k) {
      // The first row of a group is its longest.
      const std::int64_t group = warp >> k;
      const std::int64_t groups = (end + group - 1) / group - (position + group - 1) / group;
      steps[k] += groups * passes(static_cast<std::int64_t>(length), k);
    }
    position = end;
  }
  return steps;
}

/// What columns reach in blocks of each size.
using Reaches = std::array<ColumnReach, block_sizes.size()>;

/// Adds a row with entries from one column to another.
template <std::size_t... k>
void add_reach(std::int64_t row, std::int64_t first, std::int64_t last, Reaches& reaches,
               std::index_sequence<k...>) {
  const auto add = [&]<std::int64_t n>(std::integral_constant<std::int64_t, n>,
                                       ColumnReach& reach) {
    const std::int64_t base = column_base(row / n);
    reach.below = std::min(reach.below, first / n - base);
    reach.above = std::max(reach.above, last / n - base);
  };
  (add(std::integral_constant<std::int64_t, block_sizes[k]>{}, reaches[k]), ...);
}

/// All but the reach, from the lengths of the block rows [begin, end), `length(block_row)`, of
/// which there are some. Warps take block rows from multiples of 32 on, also where `begin` is none.
template <class Length>
BlockRowCounts count_rows(std::int64_t begin, std::int64_t end, const Length& length, int threads) {
  BlockRowCounts counts;
  WarpSteps natural{};
  std::vector<std::int64_t> rows_of_length;
  std::mutex mutex;
  const std::int64_t first_warp = begin / warp;
  parallel_for((end + warp - 1) / warp - first_warp, 256,
               [&](std::int64_t begin_warp, std::int64_t end_warp) {
                 WarpSteps steps{};
                 std::vector<std::int64_t> histogram;
                 for (std::int64_t k = begin_warp; k < end_warp; ++k) {
                   const std::int64_t first = (first_warp + k) * warp;
                   std::array<std::int64_t, warp> lengths{};
                   const std::int64_t last = std::min(first + warp, end);
                   for (std::int64_t row = std::max(first, begin); row < last; ++row) {
                     const std::int64_t blocks = length(row);
                     lengths[static_cast<std::size_t>(row - first)] = blocks;
                     if (blocks >= std::ssize(histogram)) {
                       histogram.resize(static_cast<std::size_t>(blocks) + 1);
                     }
                     ++histogram[static_cast<std::size_t>(blocks)];
                   }
                   add_warps(std::span(lengths).first(static_cast<std::size_t>(last - first)),
                             steps);
                 }
                 const std::lock_guard<std::mutex> lock(mutex);
                 for (std::size_t k = 0; k < steps.size(); ++k) natural[k] += steps[k];
                 rows_of_length.resize(std::max(rows_of_length.size(), histogram.size()));
                 for (std::size_t k = 0; k < histogram.size(); ++k)
                   rows_of_length[k] += histogram[k];
               },
               threads);

  std::ranges::copy(natural, counts.warp_steps_natural.begin());
  std::ranges::copy(sorted_steps(rows_of_length), counts.warp_steps_sorted.begin());
  const std::int64_t longest = std::ssize(rows_of_length) - 1;
  counts.longest = static_cast<double>(longest);
  for (std::int64_t blocks = 0; blocks <= longest; ++blocks) {
    const std::int64_t rows = rows_of_length[static_cast<std::size_t>(blocks)];
    if (rows > 0) counts.lengths.push_back({blocks, rows});
  }
  // rows^2 times the variance, in whole numbers.
  WideInteger sum = 0;
  WideInteger squares = 0;
  for (std::size_t k = 0; k < rows_of_length.size(); ++k) {
    const auto rows = static_cast<WideInteger>(rows_of_length[k]);
    sum += rows * k;
    squares += rows * k * k;
  }
  const auto rows = static_cast<WideInteger>(end - begin);
  counts.deviation =
      std::sqrt(static_cast<double>(squares * rows - sum * sum)) / static_cast<double>(end - begin);
  return counts;
}

template <class T>
MatrixAccess count_segment(const CsrView<T>& matrix, const Segment& segment,
                           SegmentCounter& counter, int threads) {
  if (segment.rows() <= 0) return {};
  const auto columns_of = [&](std::int64_t row) {
    const std::int64_t begin = matrix.row_offsets[row];
    const std::int64_t end = matrix.row_offsets[row + 1];
    return matrix.column_indices.subspan(static_cast<std::size_t>(begin),
                                         static_cast<std::size_t>(end - begin));
  };
  BlockRowLengths& lengths = counter.lengths;
  // Rows above the segment add nothing to the block rows that they share with it.
  for (std::size_t k = 1; k < block_sizes.size(); ++k) {
    lengths[k][segment.begin_row / block_sizes[k]] = 0;
  }
  std::vector<std::unique_ptr<RangeCounter>> ranges;
  Reaches reaches{};
  std::int64_t bandwidth = 0;
  std::mutex mutex;
  // Threads share no block row: their ranges begin at whole groups, the first with the segment.
  const std::int64_t first_row = segment.begin_row / rows_per_group * rows_per_group;
  parallel_rows(
      matrix.row_offsets.subspan(static_cast<std::size_t>(first_row),
                                 static_cast<std::size_t>(segment.end_row - first_row) + 1),
      rows_per_group,
      [&](std::int64_t range_begin, std::int64_t range_end) {
        const std::int64_t begin = std::max(first_row + range_begin, segment.begin_row);
        const std::int64_t end = first_row + range_end;
        std::unique_ptr<RangeCounter> range;
        {
          const std::lock_guard<std::mutex> lock(mutex);
          if (!counter.free.empty()) {
            range = std::move(counter.free.back());
            counter.free.pop_back();
          }
        }
        if (!range) range = std::make_unique<RangeCounter>(matrix.columns);
        range->lookups.begin_range(begin);
        Reaches part{};
        std::int64_t widest = 0;
        count_block_rows(matrix, begin, end, range->block_rows, lengths, [&](std::int64_t row) {
          const auto columns = columns_of(row);
          if (columns.empty()) return;
          range->lookups.add_row(columns, static_cast<std::int32_t>(row));
          widest = std::max({widest, row - columns.front(), columns.back() - row});
          add_reach(row, columns.front(), columns.back(), part,
                    std::make_index_sequence<block_sizes.size()>());
        });
        const std::lock_guard<std::mutex> lock(mutex);
        bandwidth = std::max(bandwidth, widest);
        for (std::size_t k = 0; k < reaches.size(); ++k) {
          reaches[k].below = std::min(reaches[k].below, part[k].below);
          reaches[k].above = std::max(reaches[k].above, part[k].above);
        }
        ranges.push_back(std::move(range));
      },
      threads);

  std::ranges::sort(ranges, {}, [](const auto& range) { return range->lookups.begin_row(); });
  LookupCounts f32{};
  LookupCounts f64{};
  for (const auto& range : ranges) {
    add(range->lookups.f32(), f32);
    add(range->lookups.f64(), f64);
  }
  if (ranges.size() > 1) {
    parallel_for(
        SectorLookups::pairs(matrix.columns), 1 << 12,
        [&](std::int64_t begin, std::int64_t end) {
          LookupCounts f32_part{};
          LookupCounts f64_part{};
          SectorLookups::join(ranges, begin, end, f32_part, f64_part);
          const std::lock_guard<std::mutex> lock(mutex);
          add(f32_part, f32);
          add(f64_part, f64);
        },
        threads);
  }
  std::ranges::move(ranges, std::back_inserter(counter.free));

  AccessCounts counts;
  counts.lookups_f32 = as_pattern(f32);
  counts.lookups_f64 = as_pattern(f64);
  counts.bandwidth = static_cast<double>(bandwidth);
  for (std::size_t k = 0; k < block_sizes.size(); ++k) {
    const std::int64_t n = block_sizes[k];
    const std::int64_t begin = segment.begin_row / n;
    const std::int64_t end = (segment.end_row + n - 1) / n;
    counts.rows[k] =
        k == 0 ? count_rows(
                     begin, end, [&](std::int64_t row) { return std::ssize(columns_of(row)); },
                     threads)
               : count_rows(
                     begin, end,
                     [&](std::int64_t row) {
                       return std::int64_t{lengths[k][static_cast<std::size_t>(row)]};
                     },
                     threads);
    counts.rows[k].reach = reaches[k];
  }
  return MatrixAccess(std::move(counts));
}

}  // namespace

const BlockRowCounts& MatrixAccess::rows_of(int block_size) const {
  block_layout(block_size);  // throws if there is no such size
  return counts_.rows[static_cast<std::size_t>(std::ranges::find(block_sizes, block_size) -
                                               block_sizes.begin())];
}

std::span<const RowLengthCount> MatrixAccess::row_lengths(int block_size) const {
  return rows_of(block_size).lengths;
}

ColumnReach MatrixAccess::column_reach(int block_size) const {
  return rows_of(block_size).reach;
}

AccessPattern MatrixAccess::pattern(const Layout& layout, Precision precision) const {
  const BlockRowCounts& rows = rows_of(layout.block_size);
  AccessPattern pattern;
  pattern.sector_lookups = precision == Precision::f32 ? counts_.lookups_f32 : counts_.lookups_f64;
  pattern.warp_steps =
      layout.row_order == RowOrder::sorted ? rows.warp_steps_sorted : rows.warp_steps_natural;
  pattern.longest_row = rows.longest;
  pattern.row_deviation = rows.deviation;
  pattern.bandwidth = counts_.bandwidth;
  return pattern;
}

template <class T>
MatrixAccess compute_access(const CsrView<T>& matrix, int threads) {
  return compute_access(matrix, {0, matrix.rows}, threads);
}

template <class T>
MatrixAccess compute_access(const CsrView<T>& matrix, const Segment& segment, int threads) {
  SegmentCounter counter{block_row_lengths(segment.end_row), {}};
  return count_segment(matrix, segment, counter, threads);
}

template <class T>
std::vector<MatrixAccess> compute_access(const CsrView<T>& matrix,
                                         std::span<const Segment> segments, int threads) {
  std::vector<MatrixAccess> all(segments.size());
  parallel_for(
      std::ssize(segments), few_segments,
      [&](std::int64_t begin, std::int64_t end) {
        SegmentCounter counter{block_row_lengths(matrix.rows), {}};
        for (std::int64_t k = begin; k < end; ++k) {
          const auto place = static_cast<std::size_t>(k);
          all[place] = count_segment(matrix, segments[place], counter, threads);
        }
      },
      threads);
  return all;
}

template MatrixAccess compute_access(const CsrView<float>&, int);
template MatrixAccess compute_access(const CsrView<double>&, int);
template MatrixAccess compute_access(const CsrView<float>&, const Segment&, int);
template MatrixAccess compute_access(const CsrView<double>&, const Segment&, int);
template std::vector<MatrixAccess> compute_access(const CsrView<float>&, std::span<const Segment>,
                                                  int);
template std::vector<MatrixAccess> compute_access(const CsrView<double>&, std::span<const Segment>,
                                                  int);

}  // namespace sparsecast
