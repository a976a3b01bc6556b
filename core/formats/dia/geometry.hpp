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
  /// Neighbouring rows of a thread: what one load of 16 bytes brings, or one.
  template <class T>
  static constexpr int width = wide ? 16 / static_cast<int>(sizeof(T)) : 1;
  /// Diagonals whose values a thread loads before it uses the first.
  static constexpr int at_once = diagonals_at_once;
  /// Thread blocks that a multiprocessor has registers for (`__launch_bounds__`).
  static constexpr int least_blocks = blocks;
};
using DiaWideF32 = DiaShape<true, 3, 6>;
using DiaWideF64 = DiaShape<true, 2, 8>;
/// Of so few rows that a thread takes one, and all that it waits for is to be under way at once.
using DiaFewRows = DiaShape<false, 9, 3>;
using DiaFewRowsManyDiagonals = DiaShape<false, 27, 1>;

/// The kinds of shapes, and the one for a segment.
enum class DiaKernel { wide, few_rows, few_rows_many_diagonals };
DiaKernel dia_kernel(const SegmentShape& shape, Precision precision, const GpuShape& gpu);

/// How a segment is multiplied.
SpmvExecution dia_execution(const SegmentShape& shape, Precision precision, const GpuShape& gpu);

/// `execution` is what `dia_execution` says.
ProductGeometry dia_geometry(Precision precision, const SpmvExecution& execution);

/// All rows store a value of each diagonal; they look up what the matrix's entries do.
AccessPattern dia_pattern(const AccessPattern& of_matrix, const SegmentShape& shape);

/// A warp loads the vector once for each diagonal: its rows' span, at any place.
WarpLoads dia_warp_loads(const SegmentShape& shape, Precision precision,
                         const SpmvExecution& execution);

}  // namespace sparsecast
