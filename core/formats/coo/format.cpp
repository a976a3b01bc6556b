#include "core/formats/format.hpp"

#include <algorithm>
#include <vector>

#include "core/formats/coo/coo.hpp"
#include "core/formats/coo/geometry.hpp"
#include "core/formats/coo/loads.hpp"
#include "core/formats/ell/geometry.hpp"

/// @file
/// COO, for comparisons.

namespace sparsecast {

extern const Format coo_format;

namespace {

WarpLoads count_loads(const PatternView& matrix, const Segment& segment, const Layout&,
                      Precision precision, const SpmvExecution&, int) {
  WarpLoads loads = count_coo_loads(matrix, segment, 0, precision);
  loads.passes = coo_passes(static_cast<double>(segment.nonzeros(matrix.row_offsets)));
  return loads;
}

/// As if each entry were in a line of its own, or its neighbours' too, whichever is less.
WarpLoads estimate_loads(const SegmentShape& shape, const AccessPattern& pattern,
                         Precision precision, const SpmvExecution&) {
  constexpr double warp = 32;
  const double rows_of_step = warp * shape.unknowns / std::max(1.0, shape.elements);
  const double lines_of_each = precision == Precision::f32 ? 1 : 2;
  WarpLoads loads;
  loads.passes = coo_passes(shape.elements);
  loads.added_lines =
      shape.elements / warp * lines_of_each + distinct_sectors(pattern, rows_of_step);
  loads.added_rows = std::min(shape.unknowns, shape.elements);
  return loads;
}

/// The first clears the output, as ELL of no entries does.
std::vector<ProductPart> parts_of(const SegmentShape& shape, const AccessPattern& pattern,
                                  const Layout&, Precision, const SpmvExecution& execution) {
  ProductPart clears;
  clears.shape.unknowns = shape.unknowns;
  clears.shape.block_rows = shape.unknowns;
  clears.execution = ell_execution(shape.unknowns);
  clears.geometry = ell_geometry();
  return {clears, coo_part(shape, pattern, execution.loads)};
}

}  // namespace

const Format coo_format{
    .name = "coo",
    .layouts =
        [] {
          return std::vector<Layout>{{"coo", 1, RowOrder::natural}};
        },
    .shape =
        [](const PatternNumbers& numbers, const Layout&) {
          return coo_shape(numbers.rows, numbers.columns, numbers.nonzeros);
        },
    .weights = [](const PatternView& matrix, const Layout&) { return matrix.row_offsets.copy(); },
    .execution = [](const SegmentShape& shape, const Layout&, Precision, const GpuShape&,
                    const CudaPolicy&) { return coo_execution(shape.elements, shape.unknowns); },
    .geometry = [](const Layout&, Precision, const SpmvExecution&) { return coo_geometry(); },
    .count_loads = count_loads,
    .warp_loads = estimate_loads,
    .parts = parts_of};

}  // namespace sparsecast
