#pragma once

#include "core/analysis/partition.hpp"
#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// What the warps of a multiplication load of the multiplied vector, as the CUDA kernels deal
/// stored rows out to lanes (core/formats/bcsr/cuda/spmv_rows.cuh, spmv_storage.cuh).

namespace sparsecast {

/// What the kernel that `execution` describes loads of a segment of a matrix of this size in a
/// layout: by the format's own count (`Format::count_loads`, `Format::warp_loads`), else row by row
/// (`count_warp_loads`).
template <class T>
WarpLoads product_loads(const CsrView<T>& matrix, const Segment& segment, const SegmentShape& shape,
                        const Layout& layout, Precision precision, const SpmvExecution& execution,
                        int threads = 0);

/// The same of a matrix of which only size and access pattern are known.
WarpLoads estimate_product_loads(const SegmentShape& shape, const AccessPattern& pattern,
                                 const Layout& layout, Precision precision,
                                 const SpmvExecution& execution);

/// Counts what the kernel that `execution` describes does with a segment of a matrix, block rows in
/// their natural order: exactly where the segment has no more than `most_entries_of_sample`
/// entries, but for streams, whose first block lies anywhere in a group of 32, and warps of empty
/// rows alone, which count as nothing; otherwise on warps
/// that are chosen at random, always the same, for all of them. Columns must rise within rows; the
/// segment begins at a multiple of the block size. O(block rows) beside the sample, and O(nonzeros)
/// where long rows are cut into pieces, on `threads` threads (0: all).
template <class T>
WarpLoads count_warp_loads(const CsrView<T>& matrix, const Segment& segment, int block_size,
                           Precision precision, const SpmvExecution& execution, int threads = 0);

/// The two parts of these, each with its sectors: block rows that are not cut, whatever the length
/// of pieces, and the pieces of long ones, of which there are none where `execution` has none.
/// Their sum is the whole.
template <class T>
WarpLoads count_row_loads(const CsrView<T>& matrix, const Segment& segment, int block_size,
                          Precision precision, const SpmvExecution& execution);
template <class T>
WarpLoads count_piece_loads(const CsrView<T>& matrix, const Segment& segment, int block_size,
                            Precision precision, const SpmvExecution& execution, int threads = 0);

/// The same of a matrix of which only size and access pattern are known: passes from its warp
/// steps, within a factor of 2; a line for each load instruction of a warp and for each sector that
/// its rows look up, within a factor of 3.
WarpLoads estimate_warp_loads(const SegmentShape& shape, const AccessPattern& pattern,
                              int block_size, Precision precision, const SpmvExecution& execution);

}  // namespace sparsecast
