#include "core/formats/format.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/formats/coo/geometry.hpp"
#include "core/formats/coo/loads.hpp"
#include "core/formats/ell/geometry.hpp"
#include "core/formats/ell/loads.hpp"
#include "core/formats/hyb/hyb.hpp"
#include "core/formats/known_count.hpp"

/// @file
/// ELL and COO, split in each segment by its own rows: `hyb` where that costs the least,
/// `hyb-paper` by the paper's rule; for comparisons.

namespace sparsecast {

extern const Format hyb_format;

namespace {

std::string rule_of(const Layout& layout) {
  return layout.variant == "paper" ? "by the paper's rule" : "by cost";
}
std::string width_name(const Layout& layout) {
  return "width " + rule_of(layout);
}
std::string rest_name(const Layout& layout) {
  return "rest " + rule_of(layout);
}

std::map<std::string, double> count(const PatternView& matrix, const Segment& segment,
                                    const Layout& layout, int, const CudaPolicy&) {
  const HybSplit split = hyb_split(matrix, segment, layout);
  return {{width_name(layout), static_cast<double>(split.width)},
          {rest_name(layout), static_cast<double>(split.rest)}};
}

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  const double width = known_count(numbers, layout, width_name(layout));
  const double rest = known_count(numbers, layout, rest_name(layout));
  return hyb_shape(numbers.rows, numbers.columns, width, rest);
}

/// By the split of all rows, which that of a segment may differ from.
Buffer<std::int64_t> weights_of(const PatternView& matrix, const Layout& layout) {
  const Segment all{0, matrix.rows};
  const std::int64_t width = hyb_split(matrix, all, layout).width;
  Buffer<std::int64_t> weights = entries_before(matrix, all, width);
  for (std::int64_t row = 0; row <= matrix.rows; ++row) weights[row] += row * width;
  return weights;
}

SpmvExecution execution_of(const SegmentShape& shape, const Layout&, Precision, const GpuShape&,
                           const CudaPolicy&) {
  return ell_execution(shape.unknowns);
}

/// Of the first kernel; a product of two ends with no sums.
ProductGeometry geometry_of(const Layout&, Precision, const SpmvExecution&) {
  ProductGeometry geometry = ell_geometry();
  geometry.sums = false;
  return geometry;
}

WarpLoads count_loads(const PatternView& matrix, const Segment& segment, const Layout& layout,
                      Precision precision, const SpmvExecution&, int) {
  const HybSplit split = hyb_split(matrix, segment, layout);
  WarpLoads loads = count_ell_loads(matrix, segment, split.width, precision);
  if (split.rest == 0) return loads;
  loads = loads + count_coo_loads(matrix, segment, split.width, precision);
  loads.passes += coo_passes(static_cast<double>(split.rest));
  return loads;
}

std::vector<ProductPart> parts_of(const SegmentShape& shape, const AccessPattern& pattern,
                                  const Layout&, Precision, const SpmvExecution& execution) {
  const HybSplit split = hyb_split(shape);
  const auto rest = static_cast<double>(split.rest);
  const SegmentShape coo = coo_shape(shape.unknowns, shape.total_unknowns, rest);
  const ProductPart second = coo_part(coo, pattern, execution.loads);
  ProductPart first;
  first.shape = ell_shape(shape.unknowns, shape.total_unknowns, static_cast<double>(split.width));
  first.pattern = pattern;
  for (std::size_t k = 0; k < pattern.sector_lookups.size(); ++k) {
    first.pattern.sector_lookups[k] -= second.pattern.sector_lookups[k];
  }
  first.execution = execution;
  first.execution.longest_short_row = split.width;
  first.execution.loads = {ell_passes(shape.unknowns, split.width), execution.loads.lines};
  first.geometry = ell_geometry();
  if (split.rest == 0) return {first};
  return {first, second};
}

}  // namespace

const Format hyb_format{.name = "hyb",
                        .layouts =
                            [] {
                              return std::vector<Layout>{{"hyb", 1, RowOrder::natural},
                                                         {"hyb", 1, RowOrder::natural, "paper"}};
                            },
                        .count = count,
                        .shape = shape_of,
                        .weights = weights_of,
                        .execution = execution_of,
                        .geometry = geometry_of,
                        .count_loads = count_loads,
                        .parts = parts_of};

}  // namespace sparsecast
