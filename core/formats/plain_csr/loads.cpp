#include "core/formats/plain_csr/loads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/formats/load_counts.hpp"
#include "core/formats/plain_csr/geometry.hpp"

namespace sparsecast {
namespace {

constexpr int warp = 32;
constexpr int column_bytes = 4;

/// The entries of one lane of a warp.
struct Lane {
  std::int64_t first = 0;
  std::int64_t entries = 0;

  std::int64_t left_over() const { return plain_csr_left_over(entries); }
  std::int64_t whole_passes() const { return entries / plain_csr_entries_at_once; }
};

class WarpOfRows {
 public:
  WarpOfRows(const PatternView& matrix, const Segment& segment, int lanes, int value_bytes)
      : matrix_(matrix), segment_(segment), lanes_(lanes), value_bytes_(value_bytes) {}

  /// Of rows from `first` on.
  WarpLoads loads(std::int64_t first) {
    deal_out(first);
    std::int64_t left_over = 0;
    std::int64_t whole = 0;
    for (const Lane& lane : of_warp_) {
      left_over = std::max(left_over, lane.left_over());
      whole = std::max(whole, lane.whole_passes());
    }
    WarpLoads found;
    found.passes = static_cast<double>(left_over + whole);
    for (std::int64_t k = 0; k < left_over; ++k) {
      found.lines += lines([k](const Lane& lane) { return k < lane.left_over() ? k : no_load; });
    }
    for (std::int64_t k = 0; k < whole * plain_csr_entries_at_once; ++k) {
      found.lines += lines([k](const Lane& lane) {
        const std::int64_t entry = lane.left_over() + k;
        return entry < lane.entries ? entry : no_load;
      });
    }
    return found;
  }

 private:
  void deal_out(std::int64_t first_row) {
    const auto& offsets = matrix_.row_offsets;
    for (int l = 0; l < warp; ++l) {
      const std::int64_t row = first_row + l / lanes_;
      const bool is_there = row < segment_.end_row;
      const std::int64_t begin = is_there ? offsets[row] + l % lanes_ : 0;
      const std::int64_t end = is_there ? std::int64_t{offsets[row + 1]} : 0;
      of_warp_[static_cast<std::size_t>(l)] = {
          begin, std::max<std::int64_t>(0, (end - begin + lanes_ - 1) / lanes_)};
    }
  }

  /// Of one load of the vector, and, with a thread a row, of what says where and by what.
  template <class EntryOf>
  double lines(const EntryOf& entry_of) const {
    std::array<std::int64_t, warp> stored;
    std::array<std::int64_t, warp> columns;
    stored.fill(no_load);
    columns.fill(no_load);
    const std::int64_t before = matrix_.row_offsets[segment_.begin_row];
    for (std::size_t l = 0; l < of_warp_.size(); ++l) {
      const std::int64_t entry = entry_of(of_warp_[l]);
      if (entry == no_load) continue;
      const std::int64_t place = of_warp_[l].first + entry * lanes_;
      stored[l] = place - before;
      columns[l] = matrix_.column_indices[place];
    }
    int found = lines_of_load(columns, 1, value_bytes_);
    if (lanes_ == 1) {
      found += lines_of_load(stored, 1, value_bytes_) + lines_of_load(stored, 1, column_bytes);
    }
    return found;
  }

  const PatternView& matrix_;
  Segment segment_;
  int lanes_;
  int value_bytes_;
  std::array<Lane, warp> of_warp_;
};

}  // namespace

WarpLoads count_plain_csr_loads(const PatternView& matrix, const Segment& segment,
                                Precision precision, const SpmvExecution& execution) {
  WarpOfRows rows(matrix, segment, execution.lanes, static_cast<int>(bytes_per_value(precision)));
  const std::int64_t rows_of_warp = warp / execution.lanes;
  return sum_over_warps(static_cast<double>(segment.nonzeros(matrix.row_offsets)),
                        (segment.rows() + rows_of_warp - 1) / rows_of_warp, [&](std::int64_t k) {
                          return rows.loads(segment.begin_row + k * rows_of_warp);
                        });
}

WarpLoads estimate_plain_csr_loads(const SegmentShape& shape, const AccessPattern& pattern,
                                   Precision precision, const SpmvExecution& execution) {
  const double rows_of_warp = static_cast<double>(warp) / execution.lanes;
  const double warps = std::ceil(shape.unknowns / rows_of_warp);
  const double mean = shape.elements / std::max(1.0, shape.unknowns);
  const auto of_lane = static_cast<std::int64_t>(std::ceil(mean / execution.lanes));
  const double loads = warps * static_cast<double>(of_lane);
  const double lines_of_each = precision == Precision::f32 ? 1 : 2;
  WarpLoads estimate;
  estimate.passes = warps * static_cast<double>(plain_csr_passes(of_lane));
  estimate.lines = loads * lines_of_each + distinct_sectors(pattern, rows_of_warp);
  if (execution.lanes > 1) return estimate;
  // Of a load of 32 values, or columns, as many lines as 32 rows fill.
  constexpr double line_bytes = 128;
  const double value_bytes = static_cast<double>(bytes_per_value(precision));
  for (const double bytes : {value_bytes, double{column_bytes}}) {
    estimate.lines += loads * std::clamp(warp * mean * bytes / line_bytes, 1.0, double{warp});
  }
  return estimate;
}

}  // namespace sparsecast
