#include "core/formats/ell/ell.hpp"

#include <mutex>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t rows_per_part = 4096;

}  // namespace

std::int64_t longest_row(const PatternView& matrix, const Segment& segment, int threads) {
  require_segment(segment, matrix.rows);
  std::int64_t longest = 0;
  std::mutex mutex;
  parallel_for(
      segment.rows(), rows_per_part,
      [&](std::int64_t begin, std::int64_t end) {
        std::int64_t mine = 0;
        for (std::int64_t row = segment.begin_row + begin; row < segment.begin_row + end; ++row) {
          mine = std::max(mine, matrix.row_offsets[row + 1] - matrix.row_offsets[row]);
        }
        const std::lock_guard<std::mutex> lock(mutex);
        longest = std::max(longest, mine);
      },
      threads);
  return longest;
}

std::string ell_refusal(std::int64_t rows, std::int64_t nonzeros, std::int64_t longest) {
  if (longest <= most_ell_width(rows, nonzeros)) return "";
  return "layout ell: all " + std::to_string(rows) + " rows would take the " +
         std::to_string(longest) + " entries of the longest, " +
         std::to_string(longest * ell_stride(rows) / std::max<std::int64_t>(nonzeros, 1)) +
         " times the nonzeros (at most " + std::to_string(most_fill) +
         " times could pay); use csr or hyb";
}

void require_ell_fits(std::int64_t rows, std::int64_t nonzeros, std::int64_t longest) {
  const std::string refusal = ell_refusal(rows, nonzeros, longest);
  if (!refusal.empty()) throw Error(refusal);
}

template <class T>
EllMatrix<T> convert_to_ell(const CsrView<T>& matrix, const Segment& segment, std::int64_t width,
                            int threads) {
  require_segment(segment, matrix.rows);
  EllMatrix<T> result;
  result.rows = segment.rows();
  result.columns = matrix.columns;
  result.stride = ell_stride(result.rows);
  result.width = width;
  result.column_indices.resize(static_cast<std::size_t>(width * result.stride));
  result.values.resize(static_cast<std::size_t>(width * result.stride));
  parallel_for(
      result.stride, rows_per_part,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t row = segment.begin_row + i;
          const bool exists = i < result.rows;
          const std::int64_t first = exists ? matrix.row_offsets[row] : 0;
          const std::int64_t last = exists ? matrix.row_offsets[row + 1] : 0;
          auto column = static_cast<std::int32_t>(std::min(row, matrix.columns - 1));
          for (std::int64_t k = 0; k < width; ++k) {
            const std::int64_t entry = first + k;
            if (entry < last) column = matrix.column_indices[entry];
            result.column_indices[k * result.stride + i] = column;
            result.values[k * result.stride + i] = entry < last ? matrix.values[entry] : T{0};
          }
        }
      },
      threads);
  return result;
}

SegmentShape ell_shape(double rows, double columns, double width) {
  SegmentShape shape;
  shape.unknowns = rows;
  shape.total_unknowns = columns;
  shape.elements = width * static_cast<double>(ell_stride(static_cast<std::int64_t>(rows)));
  shape.blocks = shape.elements;
  shape.block_rows = rows;
  shape.offset_bytes = 0;
  return shape;
}

template EllMatrix<float> convert_to_ell(const CsrView<float>&, const Segment&, std::int64_t, int);
template EllMatrix<double> convert_to_ell(const CsrView<double>&, const Segment&, std::int64_t,
                                          int);

}  // namespace sparsecast
