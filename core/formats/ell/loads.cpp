#include "core/formats/ell/loads.hpp"

#include <algorithm>
#include <array>

#include "core/formats/ell/geometry.hpp"
#include "core/formats/load_counts.hpp"

namespace sparsecast {
namespace {

constexpr int warp = 32;

/// Of 32 rows from `first` on.
double lines_of_warp(const PatternView& matrix, const Segment& segment, std::int64_t first,
                     std::int64_t width, int value_bytes) {
  const std::int64_t rows = std::min<std::int64_t>(warp, segment.end_row - first);
  double lines = 0;
  for (std::int64_t k = 0; k < width; ++k) {
    std::array<std::int64_t, warp> places;
    places.fill(no_load);
    bool loads = false;
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t entry = matrix.row_offsets[first + r] + k;
      if (entry >= matrix.row_offsets[first + r + 1]) continue;
      places[static_cast<std::size_t>(r)] = matrix.column_indices[entry];
      loads = true;
    }
    if (!loads) break;  // nor do later entries
    lines += lines_of_load(places, 1, value_bytes);
  }
  return lines;
}

}  // namespace

WarpLoads count_ell_loads(const PatternView& matrix, const Segment& segment, std::int64_t width,
                          Precision precision) {
  const auto value_bytes = static_cast<int>(bytes_per_value(precision));
  const std::int64_t warps = (segment.rows() + warp - 1) / warp;
  const auto entries = static_cast<double>(segment.nonzeros(matrix.row_offsets));
  WarpLoads loads = sum_over_warps(entries, warps, [&](std::int64_t k) -> WarpLoads {
    return {0, lines_of_warp(matrix, segment, segment.begin_row + k * warp, width, value_bytes)};
  });
  loads.passes = ell_passes(static_cast<double>(segment.rows()), width);
  return loads;
}

}  // namespace sparsecast
