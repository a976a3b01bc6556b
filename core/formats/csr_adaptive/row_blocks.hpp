#pragma once

#include <cstdint>

#include "core/base/host_device.hpp"

/// @file
/// The row blocks of CSR-Adaptive (Greathouse and Daga 2014, section III): neighbouring rows that
/// together have as many entries as a thread block multiplies at a time, however long each is. A
/// row of more entries is several blocks, its *pieces*.

namespace sparsecast {

/// Entries that a thread block multiplies at a time, those included that it leaves out in front of
/// a row block so that its loads are aligned.
inline constexpr int row_block_capacity = 1024;
/// A row block's loads begin with an entry whose index is a multiple of so many: those of a warp
/// are whole lines of the caches.
inline constexpr int row_block_alignment = 32;
inline constexpr int most_entries_of_row_block = row_block_capacity - (row_block_alignment - 1);
inline constexpr int most_rows_of_row_block = 1024;
/// Warps of the thread block.
inline constexpr int row_block_warps = 8;
/// No row block crosses a multiple of so many rows, so that they can be cut side by side.
inline constexpr int rows_cut_together = 4096;
/// Columns of a row block take a whole number of so many bytes.
inline constexpr int column_unit_bytes = 32;

/// Rows count from the segment's first, entries from its first one. A segment without rows has a
/// block of none.
struct alignas(16) RowBlock {
  std::int64_t first_entry = 0;
  std::int32_t first_row = 0;
  std::uint32_t first_column_unit = 0;  ///< where its columns are
  std::int32_t base = 0;  ///< the column that its columns count from, itself from the first row
  std::int32_t pieces_before = 0;  ///< of its one row
  std::uint16_t rows = 0;
  std::uint16_t entries = 0;
  std::uint8_t column_bytes = 2;  ///< 2 or 4
  bool more_pieces = false;       ///< of its one row
  std::uint16_t unused = 0;

  /// Entries in front of its own that loads begin with.
  SPARSECAST_HOST_DEVICE int lead() const {
    return static_cast<int>(static_cast<std::uint64_t>(first_entry) % row_block_alignment);
  }
  SPARSECAST_HOST_DEVICE bool is_piece() const { return pieces_before > 0 || more_pieces; }
  SPARSECAST_HOST_DEVICE std::uint32_t column_units() const {
    return entries == 0 ? 0
                        : static_cast<std::uint32_t>(
                              ((lead() + entries) * column_bytes + column_unit_bytes - 1) /
                              column_unit_bytes);
  }

  friend bool operator==(const RowBlock&, const RowBlock&) = default;
};

/// Bytes that columns up to `reach` behind their base take.
SPARSECAST_HOST_DEVICE constexpr std::uint8_t row_block_column_bytes(std::uint32_t reach) {
  return reach < 1u << 16 ? 2 : 4;
}

/// Where the row block that begins with `row` ends, before `end_row`: behind `row` if that is cut
/// into pieces. `offsets`: those of the segment's rows, which need not begin with 0: a pointer, or
/// `RowOffsets`.
template <class Offsets>
SPARSECAST_HOST_DEVICE std::int64_t row_block_end(const Offsets& offsets, std::int64_t row,
                                                  std::int64_t end_row) {
  // Between rows that fit and rows that do not.
  const std::int64_t most = row + most_rows_of_row_block;
  std::int64_t fits = row + 1;
  std::int64_t too_many = (most < end_row ? most : end_row) + 1;
  while (too_many - fits > 1) {
    const std::int64_t middle = (fits + too_many) / 2;
    (offsets[middle] - offsets[row] <= most_entries_of_row_block ? fits : too_many) = middle;
  }
  return fits;
}

/// The row block of rows [`row`, `end`), or of what is behind so many pieces of the one row;
/// without its columns. `segment_begin`: the offset of the segment's first row.
template <class Offsets>
SPARSECAST_HOST_DEVICE RowBlock row_block_of(const Offsets& offsets, std::int64_t segment_begin,
                                             std::int64_t row, std::int64_t end,
                                             std::int32_t pieces_before) {
  RowBlock block;
  block.first_row = static_cast<std::int32_t>(row);
  block.first_entry = offsets[row] - segment_begin;
  const std::int64_t length = offsets[end] - offsets[row];
  if (length > most_entries_of_row_block) {
    const std::int64_t before = std::int64_t{pieces_before} * most_entries_of_row_block;
    const std::int64_t left = length - before;
    block.first_entry += before;
    block.pieces_before = pieces_before;
    block.more_pieces = left > most_entries_of_row_block;
    block.rows = 1;
    block.entries =
        static_cast<std::uint16_t>(block.more_pieces ? most_entries_of_row_block : left);
    return block;
  }
  block.rows = static_cast<std::uint16_t>(end - row);
  block.entries = static_cast<std::uint16_t>(length);
  return block;
}

/// The row blocks of rows [`row`, `end`) one after the other.
template <class Offsets>
class RowBlockCutter {
 public:
  SPARSECAST_HOST_DEVICE RowBlockCutter(const Offsets& offsets, std::int64_t row, std::int64_t end)
      : offsets_(offsets), row_(row), end_(end) {}

  SPARSECAST_HOST_DEVICE bool done() const { return row_ >= end_; }

  SPARSECAST_HOST_DEVICE RowBlock next() {
    const RowBlock block =
        row_block_of(offsets_, offsets_[0], row_, row_block_end(offsets_, row_, end_), pieces_);
    if (block.more_pieces) {
      ++pieces_;
    } else {
      pieces_ = 0;
      row_ += block.rows;
    }
    return block;
  }

 private:
  Offsets offsets_;
  std::int64_t row_;
  std::int64_t end_;
  std::int32_t pieces_ = 0;
};

}  // namespace sparsecast
