#include "core/formats/csr_adaptive/loads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "core/formats/csr_adaptive/row_blocks.hpp"
#include "core/formats/load_counts.hpp"

namespace sparsecast {
namespace {

constexpr int warp = 32;

/// Those of a row block, whose columns these are. A warp's loads are of 32 entries from a multiple
/// of 32 on.
int lines_of_block(const RowBlock& block, const std::int32_t* columns, int value_bytes) {
  const int end = block.lead() + block.entries;
  int lines = 0;
  for (int first = 0; first < end; first += warp) {
    std::array<std::int64_t, warp> places{};
    for (int lane = 0; lane < warp; ++lane) {
      const int k = first + lane;
      places[lane] = k >= block.lead() && k < end ? columns[k - block.lead()] : no_load;
    }
    lines += lines_of_load(places, 1, value_bytes);
  }
  return lines;
}

double warps_of(double entries, double row_blocks) {
  constexpr double most = row_block_warps;
  return row_blocks * std::min(most, std::ceil(entries / std::max(1.0, row_blocks) / warp));
}

}  // namespace

WarpLoads count_adaptive_loads(const PatternView& matrix, const Segment& segment,
                               Precision precision) {
  const RowOffsets offsets = matrix.row_offsets.subspan(
      static_cast<std::size_t>(segment.begin_row), static_cast<std::size_t>(segment.rows()) + 1);
  const auto value_bytes = static_cast<int>(bytes_per_value(precision));
  // A few at least, whatever their rows.
  constexpr double least_blocks = 64;
  const auto entries = static_cast<double>(segment.nonzeros(matrix.row_offsets));
  const double blocks_about = std::max(1.0, entries / most_entries_of_row_block);
  const SampleChooser chooser(
      std::max(most_entries_of_sample / std::max(1.0, entries), least_blocks / blocks_about), 2);
  std::int64_t index = 0;
  double taken = 0;
  double taken_entries = 0;
  WarpLoads found;
  for (std::int64_t row = 0; row < segment.rows(); row += rows_cut_together) {
    RowBlockCutter cutter(offsets, row, std::min(segment.rows(), row + rows_cut_together));
    for (; !cutter.done(); ++index) {
      const RowBlock block = cutter.next();
      if (!chooser.takes(index)) continue;
      ++taken;
      taken_entries += block.entries;
      found.passes += warps_of(block.entries, 1);
      found.lines += lines_of_block(
          block, matrix.column_indices.data() + offsets[0] + block.first_entry, value_bytes);
    }
  }
  const double factor = taken > 0 ? static_cast<double>(index) / taken : 0;
  const double by_entries = taken_entries > 0 ? entries / taken_entries : 0;
  return {found.passes * factor, found.lines * by_entries};
}

WarpLoads estimate_adaptive_loads(const SegmentShape& shape, const AccessPattern& pattern,
                                  Precision precision, const SpmvExecution& execution) {
  const double loads = shape.elements / warp;
  const double rows_of_load = warp * shape.unknowns / std::max(1.0, shape.elements);
  const double lines_of_each = precision == Precision::f32 ? 1 : 2;
  WarpLoads estimate;
  estimate.passes = warps_of(shape.elements, static_cast<double>(execution.blocks));
  estimate.lines = loads * lines_of_each + distinct_sectors(pattern, rows_of_load);
  return estimate;
}

}  // namespace sparsecast
