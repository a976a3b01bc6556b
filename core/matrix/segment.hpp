#pragma once

#include <cstdint>

#include "core/matrix/row_offsets.hpp"

namespace sparsecast {

/// The consecutive rows that one device owns; `begin_row` is a multiple of the block size, and
/// `end_row` too except at the matrix's end. May be empty when there are more devices than block
/// rows.
struct Segment {
  std::int64_t begin_row = 0;
  std::int64_t end_row = 0;

  std::int64_t rows() const { return end_row - begin_row; }
  /// Of a matrix with these row offsets.
  std::int64_t nonzeros(const RowOffsets& row_offsets) const {
    return row_offsets[end_row] - row_offsets[begin_row];
  }
};

/// Of fewer than twice as many segments threads share each; more are dealt out to threads.
inline constexpr std::int64_t few_segments = 16;

/// Throws `Error` for a segment outside a matrix of so many rows, or that does not begin and end at
/// multiples of the block size as `Segment` says.
void require_segment(const Segment& segment, std::int64_t rows, int block_size = 1);

}  // namespace sparsecast
