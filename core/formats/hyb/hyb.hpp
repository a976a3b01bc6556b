#pragma once

#include <cstdint>

#include "core/formats/coo/coo.hpp"
#include "core/formats/ell/ell.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// The hybrid format (Bell and Garland 2008, section 3.5): the first entries of each row in ELL,
/// the rest of longer rows in COO.

namespace sparsecast {

/// How the entries of a segment are split.
struct HybSplit {
  std::int64_t width = 0;  ///< entries that ELL stores of each row
  std::int64_t rest = 0;   ///< those that COO stores
};

/// The paper's: ELL grows by a K-th column while at least one third of the rows have K or more
/// entries, because it is taken to be three times as fast as COO. In O(rows).
HybSplit paper_split(const PatternView& matrix, const Segment& segment);

template <class T>
struct HybMatrix {
  EllMatrix<T> ell;
  CooMatrix<T> coo;
};

/// On `threads` threads (0: all). Throws `Error` for a segment outside the matrix.
template <class T>
HybMatrix<T> convert_to_hyb(const CsrView<T>& matrix, const Segment& segment, std::int64_t width,
                            int threads = 0);

/// The size of a segment of so many rows. What an index takes is the mean over ELL and COO.
SegmentShape hyb_shape(double rows, double columns, double width, double rest);

}  // namespace sparsecast
