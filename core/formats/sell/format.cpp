#include "core/formats/format.hpp"

#include <map>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/formats/sell/sell.hpp"

namespace sparsecast {

extern const Format sell_format;

namespace {

/// Rows that are sorted among 512 stay near those that look up the same values.
constexpr int sorting_windows[] = {512, 0};

std::vector<Layout> all_layouts_of_sell() {
  std::vector<Layout> layouts;
  for (const int height : sell_slice_heights) {
    layouts.push_back({.format = "sell", .slice_height = height});
    for (const int window : sorting_windows) {
      layouts.push_back({.format = "sell",
                         .row_order = RowOrder::sorted,
                         .slice_height = height,
                         .sorting_window = window});
    }
  }
  return layouts;
}

std::string groups_name(const Layout& layout) {
  return "groups of " + to_string(layout);
}
std::string columns_name(const Layout& layout) {
  return "column units of " + to_string(layout);
}

std::map<std::string, double> count(const PatternView& matrix, const Segment& segment, int threads,
                                    const CudaPolicy&) {
  std::map<std::string, double> counts;
  for (const Layout& layout : all_layouts_of_sell()) {
    const SellSize size = sell_size(matrix, segment, layout, threads);
    counts[groups_name(layout)] = static_cast<double>(size.groups);
    counts[columns_name(layout)] = static_cast<double>(size.column_units);
  }
  return counts;
}

SellSize size_of(const PatternNumbers& numbers, const Layout& layout) {
  const auto groups = numbers.counts.find(groups_name(layout));
  const auto units = numbers.counts.find(columns_name(layout));
  if (groups == numbers.counts.end() || units == numbers.counts.end()) {
    throw Error("layout " + to_string(layout) +
                ": its padding is not known from numbers; give the matrix itself");
  }
  return {static_cast<std::int64_t>(groups->second), static_cast<std::int64_t>(units->second)};
}

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  return sell_shape(numbers.rows, numbers.columns, size_of(numbers, layout), layout);
}

std::string refusal_of(const PatternNumbers& numbers, const Layout& layout) {
  return sell_refusal(layout, static_cast<std::int64_t>(numbers.nonzeros),
                      size_of(numbers, layout).groups);
}

/// Without padding, which depends on where segments begin.
Buffer<std::int64_t> weights_of(const PatternView& matrix, const Layout&) {
  return matrix.row_offsets.copy();
}

}  // namespace

const Format sell_format{.name = "sell",
                         .layouts = all_layouts_of_sell,
                         .count = count,
                         .shape = shape_of,
                         .refusal = refusal_of,
                         .weights = weights_of};

}  // namespace sparsecast
