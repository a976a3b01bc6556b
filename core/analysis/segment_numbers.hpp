#pragma once

#include "core/analysis/features.hpp"
#include "core/formats/format.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// Rows, columns, nonzeros and what the layout's format counts of a segment, without blocks.
/// O(nonzeros) where it counts, on `threads` threads (0: all). Throws `Error` for a layout without
/// kernels.
PatternNumbers numbers_but_blocks(const PatternView& matrix, const Segment& segment,
                                  const Layout& layout, const CudaPolicy& policy, int threads);

/// The numbers of a segment from which its size in a layout follows; of blocks those of the
/// layout's block size alone, to a multiple of which the segment is cut. O(nonzeros), on `threads`
/// threads (0: all). Throws `Error` for a layout without kernels.
PatternNumbers segment_numbers(const PatternView& matrix, const Segment& segment,
                               const Layout& layout, int threads = 0);

/// The numbers of a whole matrix from which its size in a layout follows: its features, and what a
/// layout needs beside them that is not a usual one (`usual_layouts`), which is counted in
/// O(nonzeros). Throws `Error` for a layout without kernels.
PatternNumbers matrix_numbers(const PatternView& matrix, const MatrixFeatures& features,
                              const Layout& layout, const CudaPolicy& policy = {});

}  // namespace sparsecast
