#pragma once

#include <vector>

#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// The alignment of segments on GPUs: 128-byte lines of a vector of f32.
inline constexpr int gpu_row_alignment = 32;

/// Section 4.1: one segment per device, with similar numbers of stored elements in this layout
/// (`Format::weights`).
/// Segments begin at multiples of `row_alignment` too (of its least common multiple with the block
/// size), so that a cache line of a vector can belong to one device alone; none exceeds the ideal
/// share by more than the most blocks in rows between such multiples. Columns must rise within
/// rows. Throws `Error` if `devices` or `row_alignment` is not positive.
template <class T>
std::vector<Segment> partition(const CsrView<T>& matrix, const Layout& layout, int devices,
                               int row_alignment = 1);

}  // namespace sparsecast
