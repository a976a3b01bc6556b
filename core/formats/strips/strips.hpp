#pragma once

#include <cstdint>

#include "core/base/buffer.hpp"
#include "core/base/host_device.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// Strips of 4 x 4 blocks (Buatois, Caumon and Levy 2009, section 2.3.4): the values of a block lie
/// in four arrays, four neighbouring ones in each, all at the block's index, so that a thread that
/// takes a block row reads a block by four loads of four values.

namespace sparsecast {

inline constexpr int strip_block_size = 4;
inline constexpr int strip_count = 4;
inline constexpr int strip_values = 4;  ///< of a block in a strip

/// What of a block a strip holds.
enum class StripContent {
  /// A 2 x 2 sub-block, row major, and the sub-blocks row major, too: what the paper's text says.
  /// Offsets of block rows are a plain array.
  quads,
  /// A row of the block: what the authors' released code does. Begin and end of each block row lie
  /// together, so that one load reads both.
  rows,
};

/// That of a layout of these formats.
StripContent strip_content(const Layout& layout);

/// Where value (i, j) of a block is.
struct StripPlace {
  int strip = 0;
  int value = 0;
};
SPARSECAST_HOST_DEVICE constexpr StripPlace strip_place(StripContent content, int i, int j) {
  if (content == StripContent::rows) return {i, j};
  return {i / 2 * 2 + j / 2, i % 2 * 2 + j % 2};
}

/// A segment of a matrix in 4 x 4 blocks aligned at row and column 0 of the whole matrix, in the
/// order of BCSR. Block columns count from the matrix's column 0; entries that the matrix does not
/// have are 0.
template <class T>
struct StripMatrix {
  StripContent content = StripContent::quads;
  std::int64_t rows = 0;     ///< of the segment; the last block row may hang over
  std::int64_t columns = 0;  ///< of the whole matrix; the last block column may hang over
  std::int64_t block_rows = 0;
  /// The first block of each block row, and of `quads` the end; of `rows` the end of each behind
  /// its first.
  Buffer<std::uint32_t> offsets;
  Buffer<std::int32_t> block_columns;
  /// Strip s of block b is `values[(s * blocks() + b) * strip_values ...]`: one array behind the
  /// other.
  Buffer<T> values;

  std::int64_t blocks() const { return static_cast<std::int64_t>(block_columns.size()); }
  std::int64_t begin(std::int64_t block_row) const {
    return offsets[content == StripContent::rows ? 2 * block_row : block_row];
  }
  std::int64_t end(std::int64_t block_row) const {
    return offsets[content == StripContent::rows ? 2 * block_row + 1 : block_row + 1];
  }
};

/// Offsets that are stored of so many block rows.
constexpr std::int64_t strip_offsets(StripContent content, std::int64_t block_rows) {
  return content == StripContent::rows ? 2 * block_rows : block_rows + 1;
}

/// Converts one segment on `threads` threads (0: all). Columns must rise within rows. Throws
/// `Error` for a segment outside the matrix or not aligned to blocks, and for more than 2^32 - 1
/// blocks.
template <class T>
StripMatrix<T> convert_to_strips(const CsrView<T>& matrix, const Segment& segment,
                                 StripContent content, int threads = 0);

/// The size of a segment of so many rows with so many blocks.
SegmentShape strip_shape(double rows, double columns, double blocks, StripContent content);

}  // namespace sparsecast
