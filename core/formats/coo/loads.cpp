#include "core/formats/coo/loads.hpp"

#include <algorithm>
#include <array>

#include "core/formats/coo/coo.hpp"
#include "core/formats/load_counts.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t warp = 32;

}  // namespace

WarpLoads count_coo_loads(const PatternView& matrix, const Segment& segment, std::int64_t skipped,
                          Precision precision) {
  const Buffer<std::int64_t> before = entries_before(matrix, segment, skipped);
  const std::int64_t entries = before.back();
  const auto value_bytes = static_cast<int>(bytes_per_value(precision));
  const auto of_step = [&](std::int64_t step) -> WarpLoads {
    const std::int64_t first = step * warp;
    const std::int64_t end = std::min(first + warp, entries);
    // The row of an entry has it between where it and the next one begin.
    std::int64_t row = std::upper_bound(before.begin(), before.end(), first) - before.begin() - 1;
    std::array<std::int64_t, warp> places;
    places.fill(no_load);
    for (std::int64_t entry = first; entry < end; ++entry) {
      while (before[row + 1] <= entry) ++row;
      const std::int64_t place =
          matrix.row_offsets[segment.begin_row + row] + skipped + entry - before[row];
      places[static_cast<std::size_t>(entry - first)] = matrix.column_indices[place];
    }
    return {0, static_cast<double>(lines_of_load(places, 1, value_bytes))};
  };
  WarpLoads loads;
  loads.added_lines =
      sum_over_warps(static_cast<double>(entries), (entries + warp - 1) / warp, of_step).lines;
  for (std::int64_t row = 0; row < segment.rows(); ++row) {
    loads.added_rows += before[row + 1] > before[row] ? 1 : 0;
  }
  return loads;
}

}  // namespace sparsecast
