#pragma once

#include <cstdint>
#include <string>

#include "core/base/buffer.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// Sliced ELL as cuSPARSE takes it (`cusparseCreateSlicedEll`): slices of rows, each padded to its
/// longest row and stored column by column, with columns of 32 bits.

namespace sparsecast {

/// Rows of a slice: those of a warp.
inline constexpr int sliced_ell_height = 32;

/// A segment of a matrix: entry k of row i of slice s is value and column
/// `[slice_offsets[s] + k * sliced_ell_height + i]`. Padding is 0 in column -1; the last slice is
/// padded by whole rows. Columns count from the matrix's column 0.
template <class T>
struct SlicedEllMatrix {
  std::int64_t rows = 0;     ///< of the segment
  std::int64_t columns = 0;  ///< of the whole matrix
  Buffer<std::int32_t> slice_offsets;
  Buffer<std::int32_t> column_indices;
  Buffer<T> values;
};

/// Values that are stored of a segment, padding included; on `threads` threads (0: all).
std::int64_t sliced_ell_values(const PatternView& matrix, const Segment& segment, int threads = 0);

/// The most values that are stored of so many nonzeros.
std::int64_t most_sliced_ell_values(std::int64_t nonzeros);

/// Why so many values are not stored, and what to use instead; empty where they are.
std::string sliced_ell_refusal(std::int64_t nonzeros, std::int64_t values);

/// Converts one segment on `threads` threads (0: all). Throws `Error` for a segment outside the
/// matrix, with `sliced_ell_refusal` where there is one, and for more than 2^31 - 1 stored values.
template <class T>
SlicedEllMatrix<T> convert_to_sliced_ell(const CsrView<T>& matrix, const Segment& segment,
                                         int threads = 0);

/// The size of a segment of so many rows with so many stored values. `offset_bytes` are those of a
/// slice by row.
SegmentShape sliced_ell_shape(double rows, double columns, double values);

}  // namespace sparsecast
