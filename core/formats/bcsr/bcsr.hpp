#pragma once

#include <cstdint>
#include <span>

#include "core/base/buffer.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// A segment of a matrix in Block Compressed Sparse Row storage (section 2.3), N x N blocks aligned
/// at row and column 0 of the whole matrix. N = 1 is CSR.
///
/// Stored block row k holds blocks `block_offsets[k] .. block_offsets[k + 1] - 1`. Its result goes
/// to block row `row_index[k]` of the segment (empty: k itself; the result index of section 3.5).
/// A block is row major: value (i, j) of block b is `values[b * N * N + i * N + j]`; entries that
/// the matrix does not have are 0. Block columns count from the matrix's column 0.
template <class T>
struct BcsrMatrix {
  int block_size = 1;
  std::int64_t rows = 0;     ///< of the segment; the last block row may hang over
  std::int64_t columns = 0;  ///< of the whole matrix; the last block column may hang over
  std::int64_t block_rows = 0;
  Buffer<std::int64_t> block_offsets;
  Buffer<std::int32_t> block_columns;
  Buffer<T> values;
  Buffer<std::int32_t> row_index;

  std::int64_t blocks() const { return static_cast<std::int64_t>(block_columns.size()); }
  /// Of all arrays.
  std::int64_t bytes() const;
};

/// Cumulative numbers of non-empty N x N blocks: entry k is the number in the segment's block rows
/// before k, natural order. Columns must rise within rows; on `threads` threads (0: all).
Buffer<std::int64_t> count_blocks(const PatternView& matrix, const Segment& segment, int block_size,
                                  int threads = 0);

/// Block rows by falling length, those of equal length in their order; `offsets` is the number of
/// blocks before each and before the end, from any number on.
Buffer<std::int32_t> rows_by_falling_length(std::span<const std::int64_t> offsets);

/// Converts one segment of a matrix on `threads` threads (0: all). Columns must rise within rows.
/// Sorted row order is stable: block rows of equal length keep their order. Throws `Error` for a
/// segment outside the matrix or not aligned to the block size.
template <class T>
BcsrMatrix<T> convert_to_bcsr(const CsrView<T>& matrix, const Segment& segment,
                              const Layout& layout, int threads = 0);

}  // namespace sparsecast
