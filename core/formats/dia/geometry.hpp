#pragma once

#include "core/base/precision.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// How the CUDA kernel of DIA shares rows, as plain numbers (`core/formats/dia/kernel.cuh`).

namespace sparsecast {

inline constexpr int dia_threads = 256;

/// How a thread works, chosen by measurement on an H200: the values of as many diagonals under way
/// as registers leave room for as many thread blocks as hide the way to memory.
template <bool wide, int diagonals_at_once, int blocks>
struct DiaShape {
  /// Rows of a thread: as many as 16 bytes hold values, or one.
  template <class T>
  static constexpr int width = wide ? 16 / static_cast<int>(sizeof(T)) : 1;
  /// Diagonals whose values a thread loads before it uses the first.
  static constexpr int at_once = diagonals_at_once;
  /// Thread blocks that a multiprocessor has registers for (`__launch_bounds__`).
  static constexpr int least_blocks = blocks;
};
using DiaWide = DiaShape<true, 2, 8>;
using DiaManyDiagonals = DiaShape<true, 3, 5>;
/// Of so few rows that a thread takes one, and all that it waits for is to be under way at once.
using DiaFewRows = DiaShape<false, 9, 3>;
using DiaFewRowsManyDiagonals = DiaShape<false, 27, 1>;

/// The kinds of shapes, and the one for a segment.
enum class DiaKernel { wide, many_diagonals, few_rows, few_rows_many_diagonals };
DiaKernel dia_kernel(const SegmentShape& shape, Precision precision, const GpuShape& gpu);

/// How a segment is multiplied.
SpmvExecution dia_execution(const SegmentShape& shape, Precision precision, const GpuShape& gpu);

/// `execution` is what `dia_execution` says.
ProductGeometry dia_geometry(const SpmvExecution& execution);

/// All rows store a value of each diagonal; they look up what the matrix's entries do.
AccessPattern dia_pattern(const AccessPattern& of_matrix, const SegmentShape& shape);

/// A warp loads the vector once for each diagonal: its rows' span, at any place.
WarpLoads dia_warp_loads(const SegmentShape& shape, const AccessPattern& pattern,
                         Precision precision, const SpmvExecution& execution);

}  // namespace sparsecast
