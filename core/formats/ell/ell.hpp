#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/base/buffer.hpp"
#include "core/base/round_up.hpp"
#include "core/formats/most_stored.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// The ELLPACK format (Bell and Garland 2008, section 3.2): every row takes as many entries as the
/// longest, so that no row offsets are stored.

namespace sparsecast {

/// The first entries of each row of a segment, column by column: entry k of row i is value and
/// column `[k * stride + i]`. Entries that the matrix does not have are 0, in the column of the
/// row's last entry, or, of a row without any, in its diagonal's or the matrix's last; kernels skip
/// them, as the paper's do. Columns count from the matrix's column 0.
template <class T>
struct EllMatrix {
  std::int64_t rows = 0;     ///< of the segment
  std::int64_t columns = 0;  ///< of the whole matrix
  std::int64_t stride = 0;   ///< `ell_stride(rows)`
  std::int64_t width = 0;    ///< entries of a row
  Buffer<std::int32_t> column_indices;
  Buffer<T> values;
};

/// Entries that a column of so many rows takes: whole warps, so that each begins where a line of
/// 128 bytes does.
constexpr std::int64_t ell_stride(std::int64_t rows) {
  return round_up(rows, 32);
}

/// Entries of the longest row of a segment; on `threads` threads (0: all).
std::int64_t longest_row(const PatternView& matrix, const Segment& segment, int threads = 0);

/// The most entries of a row that are stored of all rows of such a segment: no more than could ever
/// pay, which take more values than `most_stored_values`.
constexpr std::int64_t most_ell_width(std::int64_t rows, std::int64_t nonzeros) {
  if (rows == 0) return 0;
  return most_stored_values(nonzeros) / ell_stride(rows);
}

/// Why so long rows are not stored, and what to use instead; empty where they are.
std::string ell_refusal(std::int64_t rows, std::int64_t nonzeros, std::int64_t longest);
/// Throws `Error` with that where there is one.
void require_ell_fits(std::int64_t rows, std::int64_t nonzeros, std::int64_t longest);

/// Stores the first `width` entries of each row, on `threads` threads (0: all). Throws `Error` for
/// a segment outside the matrix.
template <class T>
EllMatrix<T> convert_to_ell(const CsrView<T>& matrix, const Segment& segment, std::int64_t width,
                            int threads = 0);

/// The size of a segment of so many rows with so many entries each.
SegmentShape ell_shape(double rows, double columns, double width);

}  // namespace sparsecast
