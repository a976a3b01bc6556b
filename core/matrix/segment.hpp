#pragma once

#include <cstdint>

namespace sparsecast {

/// The consecutive rows that one device owns; `begin_row` is a multiple of the block size, and
/// `end_row` too except at the matrix's end. May be empty when there are more devices than block
/// rows.
struct Segment {
  std::int64_t begin_row = 0;
  std::int64_t end_row = 0;

  std::int64_t rows() const { return end_row - begin_row; }
};

}  // namespace sparsecast
