#include "core/formats/coo/coo.hpp"

#include <algorithm>

#include "core/base/threads/thread_team.hpp"

namespace sparsecast {

Buffer<std::int64_t> entries_before(const PatternView& matrix, const Segment& segment,
                                    std::int64_t skipped) {
  require_segment(segment, matrix.rows);
  Buffer<std::int64_t> before(static_cast<std::size_t>(segment.rows()) + 1);
  before[0] = 0;
  for (std::int64_t i = 0; i < segment.rows(); ++i) {
    const std::int64_t row = segment.begin_row + i;
    const std::int64_t length = matrix.row_offsets[row + 1] - matrix.row_offsets[row];
    before[i + 1] = before[i] + std::max<std::int64_t>(0, length - skipped);
  }
  return before;
}

template <class T>
CooMatrix<T> convert_to_coo(const CsrView<T>& matrix, const Segment& segment, std::int64_t skipped,
                            int threads) {
  const Buffer<std::int64_t> before = entries_before(matrix.pattern(), segment, skipped);
  CooMatrix<T> result;
  result.rows = segment.rows();
  result.columns = matrix.columns;
  const auto entries = static_cast<std::size_t>(before.back());
  result.row_indices.resize(entries);
  result.column_indices.resize(entries);
  result.values.resize(entries);
  constexpr std::int64_t rows_per_part = 4096;
  parallel_for(
      result.rows, rows_per_part,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t first = matrix.row_offsets[segment.begin_row + i] + skipped;
          const std::int64_t count = before[i + 1] - before[i];
          for (std::int64_t k = 0; k < count; ++k) {
            result.row_indices[before[i] + k] = static_cast<std::int32_t>(i);
            result.column_indices[before[i] + k] = matrix.column_indices[first + k];
            result.values[before[i] + k] = matrix.values[first + k];
          }
        }
      },
      threads);
  return result;
}

SegmentShape coo_shape(double rows, double columns, double entries) {
  SegmentShape shape;
  shape.unknowns = rows;
  shape.total_unknowns = columns;
  shape.elements = entries;
  shape.blocks = entries;
  shape.block_rows = rows;
  shape.index_bytes = coo_index_bytes;
  shape.offset_bytes = 0;
  return shape;
}

template CooMatrix<float> convert_to_coo(const CsrView<float>&, const Segment&, std::int64_t, int);
template CooMatrix<double> convert_to_coo(const CsrView<double>&, const Segment&, std::int64_t,
                                          int);

}  // namespace sparsecast
