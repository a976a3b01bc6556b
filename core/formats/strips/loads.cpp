#include "core/formats/strips/loads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/load_counts.hpp"
#include "core/formats/strips/strips.hpp"

namespace sparsecast {
namespace {

constexpr int warp = 32;

/// Values of a load of 16 bytes.
int values_at_once(int value_bytes) {
  return 16 / value_bytes;
}

class WarpOfBlockRows {
 public:
  WarpOfBlockRows(const PatternView& matrix, const Segment& segment, int value_bytes, int threads)
      : matrix_(matrix),
        segment_(segment),
        value_bytes_(value_bytes),
        offsets_(count_blocks(matrix, segment, strip_block_size, threads)) {}

  std::int64_t block_rows() const { return std::ssize(offsets_) - 1; }

  /// Of block rows from `first` on.
  WarpLoads loads(std::int64_t first) {
    std::int64_t longest = 0;
    for (int l = 0; l < warp; ++l) {
      list_columns(first + l, columns_[static_cast<std::size_t>(l)]);
      longest = std::max<std::int64_t>(longest, std::ssize(columns_[static_cast<std::size_t>(l)]));
    }
    WarpLoads found;
    found.passes = static_cast<double>(longest);
    for (std::int64_t k = 0; k < longest; ++k) found.lines += lines(first, k);
    return found;
  }

 private:
  void list_columns(std::int64_t block_row, std::vector<std::int32_t>& columns) const {
    columns.clear();
    if (block_row >= block_rows()) return;
    const std::int64_t begin = segment_.begin_row + block_row * strip_block_size;
    const std::int64_t end = std::min(begin + strip_block_size, segment_.end_row);
    for (std::int64_t k = matrix_.row_offsets[begin]; k < matrix_.row_offsets[end]; ++k) {
      columns.push_back(matrix_.column_indices[k] / strip_block_size);
    }
    std::ranges::sort(columns);
    const auto rest = std::ranges::unique(columns);
    columns.erase(rest.begin(), rest.end());
  }

  /// Of the k-th block of each block row: its column, its strips, and its part of the vector.
  double lines(std::int64_t first, std::int64_t k) const {
    constexpr int column_bytes = 4;
    std::array<std::int64_t, warp> blocks;
    std::array<std::int64_t, warp> columns;
    blocks.fill(no_load);
    columns.fill(no_load);
    for (std::size_t l = 0; l < columns_.size(); ++l) {
      if (k >= std::ssize(columns_[l])) continue;
      blocks[l] = offsets_[first + static_cast<std::int64_t>(l)] + k;
      columns[l] = columns_[l][static_cast<std::size_t>(k)];
    }
    return lines_of_load(blocks, 1, column_bytes) + strip_count * lines_of_four(blocks) +
           lines_of_four(columns);
  }

  /// Of four values each, from places that are multiples of four.
  int lines_of_four(const std::array<std::int64_t, warp>& fours) const {
    const int at_once = values_at_once(value_bytes_);
    int found = 0;
    for (int first = 0; first < strip_values; first += at_once) {
      std::array<std::int64_t, warp> places;
      for (std::size_t l = 0; l < places.size(); ++l) {
        places[l] = fours[l] == no_load ? no_load : fours[l] * strip_values + first;
      }
      found += lines_of_load(places, at_once, value_bytes_);
    }
    return found;
  }

  const PatternView& matrix_;
  Segment segment_;
  int value_bytes_;
  Buffer<std::int64_t> offsets_;
  std::array<std::vector<std::int32_t>, warp> columns_;  ///< of each lane's block row
};

}  // namespace

WarpLoads count_strip_loads(const PatternView& matrix, const Segment& segment, const Layout&,
                            Precision precision, const SpmvExecution&, int threads) {
  WarpOfBlockRows rows(matrix, segment, static_cast<int>(bytes_per_value(precision)), threads);
  return sum_over_warps(static_cast<double>(segment.nonzeros(matrix.row_offsets)),
                        (rows.block_rows() + warp - 1) / warp,
                        [&](std::int64_t k) { return rows.loads(k * warp); });
}

WarpLoads estimate_strip_loads(const SegmentShape& shape, const AccessPattern& pattern,
                               Precision precision, const SpmvExecution&) {
  const double warps = std::ceil(shape.block_rows / warp);
  const double mean = shape.blocks / std::max(1.0, shape.block_rows);
  const auto value_bytes = static_cast<int>(bytes_per_value(precision));
  const int loads_of_four = strip_values / values_at_once(value_bytes);
  // Each thread's 16 bytes of a strip are in a line of their own, unless rows are very short.
  constexpr double line_bytes = 128;
  const double lines_of_strip =
      std::clamp(warp * mean * strip_values * value_bytes / line_bytes, 4.0, double{warp});
  WarpLoads estimate;
  estimate.passes = warps * std::ceil(mean);
  estimate.lines = shape.blocks / warp * (strip_count * lines_of_strip + warp) * loads_of_four +
                   distinct_sectors(pattern, warp * strip_block_size);
  return estimate;
}

}  // namespace sparsecast
