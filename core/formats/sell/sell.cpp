#include "core/formats/sell/sell.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/formats/most_stored.hpp"
#include "core/formats/refused_name.hpp"
#include "core/formats/sell/slices.hpp"

namespace sparsecast {
namespace {

/// Runs `body(slices, begin, end)` on ranges of slices with similar numbers of nonzeros.
template <class Body>
void for_slices(const PatternView& matrix, const Segment& segment, int height,
                std::span<const std::int32_t> row_index, const Body& body, int threads) {
  if (segment.rows() == 0) return;
  parallel_rows(
      matrix.row_offsets.subspan(static_cast<std::size_t>(segment.begin_row),
                                 static_cast<std::size_t>(segment.rows()) + 1),
      height,
      [&](std::int64_t begin_row, std::int64_t end_row) {
        SellSlices slices(matrix, segment, height, row_index);
        body(slices, begin_row / height, (end_row + height - 1) / height);
      },
      threads);
}

/// The plans of all slices as numbers of groups and of units, each behind a 0.
void plan_slices(const PatternView& matrix, const Segment& segment, int height,
                 std::span<const std::int32_t> row_index, Buffer<std::uint32_t>& group_begins,
                 Buffer<std::uint32_t>& column_begins, int threads) {
  const std::int64_t slices = (segment.rows() + height - 1) / height;
  group_begins.resize(static_cast<std::size_t>(slices) + 1);
  column_begins.resize(static_cast<std::size_t>(slices) + 1);
  group_begins[0] = column_begins[0] = 0;
  for_slices(
      matrix, segment, height, row_index,
      [&](SellSlices& rows, std::int64_t begin, std::int64_t end) {
        for (std::int64_t slice = begin; slice < end; ++slice) {
          rows.go_to(slice);
          const SellPlan plan = rows.plan();
          group_begins[slice + 1] = static_cast<std::uint32_t>(plan.groups);
          column_begins[slice + 1] = static_cast<std::uint32_t>(plan.groups * plan.column_bytes);
        }
      },
      threads);
}

/// Where an entry is stored, and a column's bytes.
template <class T>
void fill_slice(const CsrView<T>& matrix, const SellSlices& rows, std::int64_t slice,
                SellMatrix<T>& to) {
  const std::int64_t first_group = to.group_begins[slice];
  const std::int64_t groups = to.group_begins[slice + 1] - first_group;
  if (groups == 0) return;
  const std::int64_t size = to.group();
  const std::int64_t units = to.column_begins[slice + 1] - to.column_begins[slice];
  const auto width = static_cast<int>(units / groups);
  T* const values = to.values.data() + first_group * size;
  std::int32_t* const bases = to.bases.data() + first_group;
  std::fill_n(values, groups * size, T{0});
  const auto base_of = [&](std::int32_t column) {
    return static_cast<std::int32_t>(column - to.first_row);
  };
  if (width == 0) {
    std::int64_t group = 0;
    rows.for_each_diagonal([&](std::int32_t first, const auto& places) {
      bases[group] = base_of(first);
      for (int i = 0; i < rows.rows(); ++i) {
        if (places[i] >= 0) values[group * size + i] = matrix.values[places[i]];
      }
      ++group;
      return true;
    });
    return;
  }
  std::uint8_t* const columns =
      to.column_bytes.data() + std::int64_t{to.column_begins[slice]} * size;
  std::fill_n(columns, units * size, std::uint8_t{0});
  const std::int64_t height = rows.height();
  const std::int64_t together = size / height;
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::int32_t least = rows.column_range(group).first;
    bases[group] = base_of(least);
    for (int i = 0; i < rows.rows(); ++i) {
      for (std::int64_t step = 0; step < together; ++step) {
        const std::int64_t k = group * together + step;
        if (k >= rows.length(i)) break;
        const std::int64_t entry = group * size + step * height + i;
        values[entry] = matrix.values[rows.place(i, k)];
        const auto difference = static_cast<std::uint32_t>(rows.column(i, k) - least);
        for (int byte = 0; byte < width; ++byte) {
          columns[entry * width + byte] = static_cast<std::uint8_t>(difference >> (8 * byte));
        }
      }
    }
  }
}

}  // namespace

Buffer<std::int32_t> sell_row_index(const PatternView& matrix, const Segment& segment,
                                    const Layout& layout, int threads) {
  Buffer<std::int32_t> order;
  if (layout.row_order == RowOrder::natural) return order;
  const std::int64_t rows = segment.rows();
  order.resize(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  const std::int64_t window =
      layout.sorting_window > 0 ? layout.sorting_window : std::max<std::int64_t>(1, rows);
  const auto length = [&](std::int32_t row) {
    const std::int64_t of_matrix = segment.begin_row + row;
    return matrix.row_offsets[of_matrix + 1] - matrix.row_offsets[of_matrix];
  };
  parallel_for((rows + window - 1) / window, 16,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t first = begin * window; first < std::min(end * window, rows);
                      first += window) {
                   std::stable_sort(
                       order.begin() + first, order.begin() + std::min(first + window, rows),
                       [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
                 }
               },
               threads);
  return order;
}

std::int64_t least_sell_groups(const PatternView& matrix, const Segment& segment,
                               const Layout& layout, std::span<const std::int32_t> row_index,
                               int threads) {
  std::atomic<std::int64_t> sum = 0;
  for_slices(
      matrix, segment, layout.slice_height, row_index,
      [&](SellSlices& rows, std::int64_t begin, std::int64_t end) {
        std::int64_t mine = 0;
        for (std::int64_t slice = begin; slice < end; ++slice) {
          rows.go_to(slice);
          mine += rows.least_groups();
        }
        sum += mine;
      },
      threads);
  return sum;
}

SellSize sell_size(const PatternView& matrix, const Segment& segment, const Layout& layout,
                   int threads) {
  require_segment(segment, matrix.rows);
  const Buffer<std::int32_t> row_index = sell_row_index(matrix, segment, layout, threads);
  const std::int64_t least = least_sell_groups(matrix, segment, layout, row_index, threads);
  if (!sell_refusal(layout, segment.nonzeros(matrix.row_offsets), least).empty()) {
    return {least, least * std::int64_t{sizeof(std::int32_t)}};
  }
  Buffer<std::uint32_t> groups;
  Buffer<std::uint32_t> units;
  plan_slices(matrix, segment, layout.slice_height, row_index, groups, units, threads);
  return {std::accumulate(groups.begin(), groups.end(), std::int64_t{0}),
          std::accumulate(units.begin(), units.end(), std::int64_t{0})};
}

SellSize most_sell_size(std::int64_t nonzeros, const Layout& layout) {
  const std::int64_t groups = most_stored_values(nonzeros) / sell_group(layout.slice_height);
  return {groups, groups * std::int64_t{sizeof(std::int32_t)}};
}

std::string sell_refusal(const Layout& layout, std::int64_t nonzeros, std::int64_t groups) {
  const std::int64_t entries = groups * sell_group(layout.slice_height);
  if (groups <= most_sell_size(nonzeros, layout).groups) return "";
  return refused_name(layout) + ": slices of " + std::to_string(layout.slice_height) +
         " rows, padded to their longest ones, take " +
         std::to_string(entries / std::max<std::int64_t>(nonzeros, 1)) +
         " times as many values as there are nonzeros (at most " + std::to_string(most_fill) +
         " times could pay); use csr" +
         (layout.row_order == RowOrder::natural
              ? ", or sort rows: sell" + std::to_string(layout.slice_height) + "-sorted"
              : "");
}

void require_sell_fits(const Layout& layout, std::int64_t nonzeros, std::int64_t groups) {
  const std::string refusal = sell_refusal(layout, nonzeros, groups);
  if (!refusal.empty()) throw Error(refusal);
}

template <class T>
SellMatrix<T> convert_to_sell(const CsrView<T>& matrix, const Segment& segment,
                              const Layout& layout, int threads) {
  const PatternView pattern = matrix.pattern();
  require_segment(segment, matrix.rows);
  const std::int64_t nonzeros = segment.nonzeros(matrix.row_offsets);
  SellMatrix<T> result;
  result.slice_height = layout.slice_height;
  result.rows = segment.rows();
  result.columns = matrix.columns;
  result.first_row = segment.begin_row;
  result.row_index = sell_row_index(pattern, segment, layout, threads);
  require_sell_fits(layout, nonzeros,
                    least_sell_groups(pattern, segment, layout, result.row_index, threads));
  plan_slices(pattern, segment, layout.slice_height, result.row_index, result.group_begins,
              result.column_begins, threads);
  require_sell_fits(
      layout, segment.nonzeros(matrix.row_offsets),
      std::accumulate(result.group_begins.begin(), result.group_begins.end(), std::int64_t{0}));
  std::partial_sum(result.group_begins.begin(), result.group_begins.end(),
                   result.group_begins.begin());
  std::partial_sum(result.column_begins.begin(), result.column_begins.end(),
                   result.column_begins.begin());
  result.bases.resize(result.group_begins.back());
  result.values.resize(static_cast<std::size_t>(result.groups() * result.group()));
  result.column_bytes.resize(
      static_cast<std::size_t>(std::int64_t{result.column_begins.back()} * result.group()));
  for_slices(
      pattern, segment, layout.slice_height, result.row_index,
      [&](SellSlices& rows, std::int64_t begin, std::int64_t end) {
        for (std::int64_t slice = begin; slice < end; ++slice) {
          rows.go_to(slice);
          fill_slice(matrix, rows, slice, result);
        }
      },
      threads);
  return result;
}

SegmentShape sell_shape(double rows, double columns, const SellSize& size, const Layout& layout) {
  SegmentShape shape;
  shape.unknowns = rows;
  shape.total_unknowns = columns;
  const int group = sell_group(layout.slice_height);
  shape.elements = static_cast<double>(size.groups) * group;
  shape.blocks = shape.elements;
  shape.block_rows = rows;
  const double column_bytes = static_cast<double>(size.column_units) * group +
                              static_cast<double>(size.groups) * sizeof(std::int32_t);
  shape.index_bytes = column_bytes / std::max(1.0, shape.elements);
  const double slices = std::ceil(rows / layout.slice_height);
  shape.offset_bytes = slices * 2 * sizeof(std::uint32_t) / std::max(1.0, rows) +
                       (layout.row_order == RowOrder::sorted ? sizeof(std::int32_t) : 0);
  return shape;
}

template SellMatrix<float> convert_to_sell(const CsrView<float>&, const Segment&, const Layout&,
                                           int);
template SellMatrix<double> convert_to_sell(const CsrView<double>&, const Segment&, const Layout&,
                                            int);

}  // namespace sparsecast
