#include "core/formats/format.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/formats/known_count.hpp"
#include "core/formats/sell/geometry.hpp"
#include "core/formats/sell/loads.hpp"
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

/// Slices of 32 rows where there are few, or where their lengths differ; of 128 where there are
/// many.
std::vector<Layout> usual() {
  return {{.format = "sell", .slice_height = 32},
          {.format = "sell",
           .row_order = RowOrder::sorted,
           .slice_height = 32,
           .sorting_window = sorting_windows[0]},
          {.format = "sell", .slice_height = 128}};
}

std::string groups_name(const Layout& layout) {
  return "groups of " + to_string(layout);
}
std::string columns_name(const Layout& layout) {
  return "column units of " + to_string(layout);
}

std::map<std::string, double> count(const PatternView& matrix, const Segment& segment,
                                    const Layout& layout, int threads, const CudaPolicy&) {
  const SellSize size = sell_size(matrix, segment, layout, threads);
  return {{groups_name(layout), static_cast<double>(size.groups)},
          {columns_name(layout), static_cast<double>(size.column_units)}};
}

SellSize size_of(const PatternNumbers& numbers, const Layout& layout) {
  return {static_cast<std::int64_t>(known_count(numbers, layout, groups_name(layout))),
          static_cast<std::int64_t>(known_count(numbers, layout, columns_name(layout)))};
}

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  return sell_shape(numbers.rows, numbers.columns, size_of(numbers, layout), layout);
}

std::string refusal_of(const PatternNumbers& numbers, const Layout& layout) {
  return sell_refusal(layout, static_cast<std::int64_t>(numbers.nonzeros),
                      size_of(numbers, layout).groups);
}

/// With more padding than this columns in two bytes gain nothing over those of CSR in four.
bool may_pay(const PatternNumbers& numbers, const Layout& layout) {
  constexpr double most_padding = 1.25;
  const auto groups = numbers.counts.find(groups_name(layout));
  return std::ranges::count(usual(), layout) > 0 && groups != numbers.counts.end() &&
         groups->second * sell_group(layout.slice_height) <= most_padding * numbers.nonzeros;
}

/// Without padding, which depends on where segments begin.
Buffer<std::int64_t> weights_of(const PatternView& matrix, const Layout&) {
  return matrix.row_offsets.copy();
}

}  // namespace

const Format sell_format{
    .name = "sell",
    .layouts = all_layouts_of_sell,
    .usual_layouts = usual,
    .count = count,
    .shape = shape_of,
    .may_pay = may_pay,
    .refusal = refusal_of,
    .weights = weights_of,
    .execution = [](const SegmentShape& shape, const Layout& layout, Precision, const GpuShape&,
                    const CudaPolicy&) { return sell_execution(shape, layout); },
    .geometry = [](const Layout& layout, Precision precision,
                   const SpmvExecution&) { return sell_geometry(layout, precision); },
    .count_loads = count_sell_loads,
    .warp_loads = estimate_sell_loads};

}  // namespace sparsecast
