#include "core/formats/format.hpp"

#include <map>
#include <string>
#include <vector>

#include "core/formats/hyb/hyb.hpp"
#include "core/formats/known_count.hpp"

/// @file
/// `hyb-paper`: ELL and COO split by the paper's rule, in each segment by its own rows; for
/// comparisons: nothing forecasts it.

namespace sparsecast {

extern const Format hyb_format;

namespace {

const char* const width_name = "width by the paper's rule";
const char* const rest_name = "rest by the paper's rule";

std::map<std::string, double> count(const PatternView& matrix, const Segment& segment,
                                    const Layout&, int, const CudaPolicy&) {
  const HybSplit split = paper_split(matrix, segment);
  return {{width_name, static_cast<double>(split.width)},
          {rest_name, static_cast<double>(split.rest)}};
}

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  const double width = known_count(numbers, layout, width_name);
  const double rest = known_count(numbers, layout, rest_name);
  return hyb_shape(numbers.rows, numbers.columns, width, rest);
}

/// By the rule for all rows, which that of a segment may differ from.
Buffer<std::int64_t> weights_of(const PatternView& matrix, const Layout&) {
  const Segment all{0, matrix.rows};
  const std::int64_t width = paper_split(matrix, all).width;
  Buffer<std::int64_t> weights = entries_before(matrix, all, width);
  for (std::int64_t row = 0; row <= matrix.rows; ++row) weights[row] += row * width;
  return weights;
}

}  // namespace

const Format hyb_format{.name = "hyb",
                        .layouts =
                            [] {
                              return std::vector<Layout>{{"hyb", 1, RowOrder::natural, "paper"}};
                            },
                        .count = count,
                        .shape = shape_of,
                        .weights = weights_of};

}  // namespace sparsecast
