#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/csr.hpp"
#include "core/layout.hpp"

namespace sparsecast {

/// The consecutive rows that one device owns; `begin_row` is a multiple of the block size, and
/// `end_row` too except at the matrix's end. May be empty when there are more devices than block
/// rows.
struct Segment {
  std::int64_t begin_row = 0;
  std::int64_t end_row = 0;

  std::int64_t rows() const { return end_row - begin_row; }
};

/// Cuts consecutive items into `parts` ranges of similar total weight; returns parts + 1 rising
/// boundaries, the first 0, the last the number of items. `cumulative_weights` holds one more
/// number than there are items, as row offsets do: item i weighs `cumulative_weights[i + 1] -
/// cumulative_weights[i]`, which is not negative. No range exceeds the ideal share by more than the
/// largest weight. Throws `Error` if `parts` is not positive.
std::vector<std::int64_t> split_by_weight(std::span<const std::int64_t> cumulative_weights,
                                          int parts);

/// The alignment of segments on GPUs: 128-byte lines of a vector of f32.
inline constexpr int gpu_row_alignment = 32;

/// Section 4.1: one segment per device, with similar numbers of stored blocks in this layout.
/// Segments begin at multiples of `row_alignment` too (of its least common multiple with the block
/// size), so that a cache line of a vector can belong to one device alone; none exceeds the ideal
/// share by more than the most blocks in rows between such multiples. Columns must rise within
/// rows. Throws `Error` if `devices` or `row_alignment` is not positive.
template <class T>
std::vector<Segment> partition(const CsrView<T>& matrix, const Layout& layout, int devices,
                               int row_alignment = 1);

}  // namespace sparsecast
