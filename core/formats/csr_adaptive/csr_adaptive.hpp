#pragma once

#include <cstdint>

#include "core/base/buffer.hpp"
#include "core/formats/csr_adaptive/row_blocks.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// CSR-Adaptive (Greathouse and Daga 2014): CSR, whose rows are dealt out in row blocks of about as
/// many entries. A thread block multiplies a row block's entries one beside the other, whatever row
/// they are of, and adds rows up in shared memory: work is even however uneven rows are, and
/// neighbouring lanes load neighbouring entries. Beyond the paper, columns count from the least of
/// their row block, in 2 bytes where they lie near enough, and rows end at 2 bytes, too.

namespace sparsecast {

/// A segment of a matrix; values are those of CSR.
template <class T>
struct AdaptiveMatrix {
  std::int64_t rows = 0;       ///< of the segment
  std::int64_t columns = 0;    ///< of the whole matrix
  std::int64_t first_row = 0;  ///< of the segment
  Buffer<RowBlock> blocks;
  /// Of each row: where it ends behind its row block's first loaded entry (`RowBlock::lead`); 0 for
  /// a row in pieces.
  Buffer<std::uint16_t> row_ends;
  /// Column minus base, of the row block's bytes each, least significant first; 0 in padding.
  Buffer<std::uint8_t> column_bytes;
  Buffer<T> values;
};

/// What is stored of a segment beside its values and row ends.
struct AdaptiveSize {
  std::int64_t blocks = 0;
  std::int64_t column_units = 0;

  friend bool operator==(const AdaptiveSize&, const AdaptiveSize&) = default;
};

/// In O(nonzeros), on `threads` threads (0: all). Throws `Error` for a segment outside the matrix.
AdaptiveSize adaptive_size(const PatternView& matrix, const Segment& segment, int threads = 0);

/// At most, of a segment of so many rows and nonzeros.
AdaptiveSize most_adaptive_size(std::int64_t rows, std::int64_t nonzeros);

/// Converts one segment on `threads` threads (0: all). Columns must rise within rows. Throws
/// `Error` for a segment outside the matrix.
template <class T>
AdaptiveMatrix<T> convert_to_adaptive(const CsrView<T>& matrix, const Segment& segment,
                                      int threads = 0);

/// The size of a segment of so many rows and nonzeros, of a matrix of so many columns. Columns take
/// bytes of entries, padding included; `offset_bytes` are those of a row's end and of its share of
/// the row blocks.
SegmentShape adaptive_shape(double rows, double columns, double nonzeros, const AdaptiveSize& size);

/// The row blocks of a segment of such a size.
std::int64_t row_blocks_of(const SegmentShape& shape);

}  // namespace sparsecast
