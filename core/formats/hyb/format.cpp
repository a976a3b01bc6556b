#include "core/formats/format.hpp"

#include <map>
#include <string>
#include <vector>

#include "core/formats/hyb/hyb.hpp"
#include "core/formats/known_count.hpp"

/// @file
/// ELL and COO, split in each segment by its own rows: `hyb` where that costs the least,
/// `hyb-paper` by the paper's rule; for comparisons: nothing forecasts them.

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

}  // namespace

const Format hyb_format{.name = "hyb",
                        .layouts =
                            [] {
                              return std::vector<Layout>{{"hyb", 1, RowOrder::natural},
                                                         {"hyb", 1, RowOrder::natural, "paper"}};
                            },
                        .count = count,
                        .shape = shape_of,
                        .weights = weights_of};

}  // namespace sparsecast
