#include "core/formats/cusparse/sliced_ell.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/formats/refused_name.hpp"
#include "core/formats/sell/sell.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t slices_per_part = 128;

/// For what is counted and refused as of `sell32`: its groups are the columns of these slices.
const Layout slices{.format = "cusparse", .variant = "sell", .slice_height = sliced_ell_height};

}  // namespace

std::int64_t sliced_ell_values(const PatternView& matrix, const Segment& segment, int threads) {
  require_segment(segment, matrix.rows);
  return sliced_ell_height * least_sell_groups(matrix, segment, slices, {}, threads);
}

std::int64_t most_sliced_ell_values(std::int64_t nonzeros) {
  return sliced_ell_height * most_sell_size(nonzeros, slices).groups;
}

std::string sliced_ell_refusal(std::int64_t nonzeros, std::int64_t values) {
  return sell_refusal(slices, nonzeros, values / sliced_ell_height);
}

template <class T>
SlicedEllMatrix<T> convert_to_sliced_ell(const CsrView<T>& matrix, const Segment& segment,
                                         int threads) {
  const std::int64_t stored = sliced_ell_values(matrix.pattern(), segment, threads);
  require_sell_fits(slices, segment.nonzeros(matrix.row_offsets), stored / sliced_ell_height);
  if (stored > std::numeric_limits<std::int32_t>::max()) {
    throw Error(refused_name(slices) + ": " + std::to_string(stored) +
                " stored values in slices; cuSPARSE's products take up to 2147483647 here: use "
                "another layout");
  }
  constexpr std::int64_t height = sliced_ell_height;
  SlicedEllMatrix<T> result;
  result.rows = segment.rows();
  result.columns = matrix.columns;
  const std::int64_t slice_count = (result.rows + height - 1) / height;
  result.slice_offsets.resize(static_cast<std::size_t>(slice_count) + 1);
  result.slice_offsets[0] = 0;
  const auto begin_of = [&](std::int64_t row) {
    return matrix.row_offsets[segment.begin_row + row];
  };
  for (std::int64_t slice = 0; slice < slice_count; ++slice) {
    std::int64_t longest = 0;
    const std::int64_t end = std::min(result.rows, (slice + 1) * height);
    for (std::int64_t row = slice * height; row < end; ++row) {
      longest = std::max(longest, begin_of(row + 1) - begin_of(row));
    }
    result.slice_offsets[slice + 1] =
        result.slice_offsets[slice] + static_cast<std::int32_t>(longest * height);
  }
  result.column_indices.resize(static_cast<std::size_t>(stored));
  result.values.resize(static_cast<std::size_t>(stored));
  parallel_for(
      slice_count, slices_per_part,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t slice = begin; slice < end; ++slice) {
          const std::int64_t first = result.slice_offsets[slice];
          const std::int64_t last = result.slice_offsets[slice + 1];
          for (std::int64_t i = 0; i < height; ++i) {
            const std::int64_t row = slice * height + i;
            std::int64_t entry = row < result.rows ? begin_of(row) : 0;
            const std::int64_t row_end = row < result.rows ? begin_of(row + 1) : 0;
            for (std::int64_t place = first + i; place < last; place += height, ++entry) {
              const bool exists = entry < row_end;
              result.column_indices[place] = exists ? matrix.column_indices[entry] : -1;
              result.values[place] = exists ? matrix.values[entry] : T{0};
            }
          }
        }
      },
      threads);
  return result;
}

SegmentShape sliced_ell_shape(double rows, double columns, double values) {
  SegmentShape shape;
  shape.unknowns = rows;
  shape.total_unknowns = columns;
  shape.elements = values;
  shape.blocks = values;
  shape.block_rows = rows;
  shape.offset_bytes =
      std::ceil(rows / sliced_ell_height) * sizeof(std::int32_t) / std::max(1.0, rows);
  return shape;
}

template SlicedEllMatrix<float> convert_to_sliced_ell(const CsrView<float>&, const Segment&, int);
template SlicedEllMatrix<double> convert_to_sliced_ell(const CsrView<double>&, const Segment&, int);

}  // namespace sparsecast
