#include "core/formats/sell/loads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/formats/load_counts.hpp"
#include "core/formats/sell/geometry.hpp"
#include "core/formats/sell/sell.hpp"
#include "core/formats/sell/slices.hpp"

namespace sparsecast {
namespace {

constexpr int warp = 32;

int values_at_once(Precision precision) {
  return precision == Precision::f32 ? sell_values_at_once<float> : sell_values_at_once<double>;
}

/// Lines of a group's loads, of which entry l is column(l), or `no_load`.
template <class Column>
int lines_of_group(int group_size, int value_bytes, const Column& column) {
  int lines = 0;
  for (int first = 0; first < group_size; first += warp) {
    std::array<std::int64_t, warp> places{};
    for (int lane = 0; lane < warp; ++lane) places[lane] = column(first + lane);
    lines += lines_of_load(places, 1, value_bytes);
  }
  return lines;
}

/// Those of a slice. Padding looks up the least column of its group, which another lane does too.
double lines_of_slice(const SellSlices& rows, const SellPlan& plan, int value_bytes) {
  const int size = sell_group(rows.height());
  double lines = 0;
  if (plan.column_bytes == 0) {
    rows.for_each_diagonal([&](std::int32_t first, const auto&) {
      lines += lines_of_group(size, value_bytes, [&](int l) { return std::int64_t{first} + l; });
      return true;
    });
    return lines;
  }
  const std::int64_t together = size / rows.height();
  for (std::int64_t group = 0; group < plan.groups; ++group) {
    const std::int64_t least = rows.column_range(group).first;
    lines += lines_of_group(size, value_bytes, [&](int l) -> std::int64_t {
      const int row = l % rows.height();
      const std::int64_t k = group * together + l / rows.height();
      return row < rows.rows() && k < rows.length(row) ? rows.column(row, k) : least;
    });
  }
  return lines;
}

}  // namespace

WarpLoads count_sell_loads(const PatternView& matrix, const Segment& segment, const Layout& layout,
                           Precision precision, const SpmvExecution&, int threads) {
  const Buffer<std::int32_t> row_index = sell_row_index(matrix, segment, layout, threads);
  SellSlices rows(matrix, segment, layout.slice_height, row_index);
  const auto value_bytes = static_cast<int>(bytes_per_value(precision));
  const std::int64_t groups_at_once =
      values_at_once(precision) / sell_rows_of_lane(layout.slice_height);
  const auto entries = static_cast<double>(segment.nonzeros(matrix.row_offsets));
  return sum_over_warps(entries, rows.count(), [&](std::int64_t slice) -> WarpLoads {
    rows.go_to(slice);
    const SellPlan plan = rows.plan();
    return {static_cast<double>((plan.groups + groups_at_once - 1) / groups_at_once),
            lines_of_slice(rows, plan, value_bytes)};
  });
}

WarpLoads estimate_sell_loads(const SegmentShape& shape, const AccessPattern& pattern,
                              Precision precision, const SpmvExecution& execution) {
  const double loads = shape.elements / warp;
  const double rows_of_warp =
      static_cast<double>(execution.rows_per_block) * warp / execution.threads;
  const double lines_of_each = precision == Precision::f32 ? 1 : 2;
  WarpLoads estimate;
  estimate.passes = std::max(loads / values_at_once(precision),
                             std::ceil(shape.unknowns / std::max(1.0, rows_of_warp)));
  estimate.lines = loads * lines_of_each + distinct_sectors(pattern, rows_of_warp);
  return estimate;
}

}  // namespace sparsecast
