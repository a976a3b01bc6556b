#pragma once

#include <cstdint>

#include "core/base/buffer.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// The coordinate format (Bell and Garland 2008, section 3.3): every entry has its row and its
/// column, so that it takes as much in whatever row it lies.

namespace sparsecast {

/// The entries of a segment by rising rows, and by rising columns within a row. Rows count from the
/// segment's first, columns from the matrix's column 0.
template <class T>
struct CooMatrix {
  std::int64_t rows = 0;     ///< of the segment
  std::int64_t columns = 0;  ///< of the whole matrix
  Buffer<std::int32_t> row_indices;
  Buffer<std::int32_t> column_indices;
  Buffer<T> values;
};

/// What an entry's row and column take.
inline constexpr int coo_index_bytes = 8;

/// Entries before each row of a segment, and before the end, without the first `skipped` of each
/// row.
Buffer<std::int64_t> entries_before(const PatternView& matrix, const Segment& segment,
                                    std::int64_t skipped);

/// Stores all entries of a segment but the first `skipped` of each row, on `threads` threads (0:
/// all). Throws `Error` for a segment outside the matrix.
template <class T>
CooMatrix<T> convert_to_coo(const CsrView<T>& matrix, const Segment& segment,
                            std::int64_t skipped = 0, int threads = 0);

/// The size of a segment of so many rows with so many entries.
SegmentShape coo_shape(double rows, double columns, double entries);

}  // namespace sparsecast
