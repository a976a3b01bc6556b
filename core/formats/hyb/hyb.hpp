#pragma once

#include <cstdint>

#include "core/formats/coo/coo.hpp"
#include "core/formats/ell/ell.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/layout.hpp"
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

/// What the split by cost takes the parts of a product to cost: bytes that move through a GPU's
/// memory in the same time. Values are those of f64, whatever the matrix's are, so that one pattern
/// has one split.
struct HybCosts {
  /// A value and its column, of an entry or of padding.
  double ell_entry = 8 + 4;
  /// A value, its row and its column, which take 1.5 times as long as as many bytes of ELL: of
  /// segmented sums, and of shorter loads.
  double coo_entry = 1.5 * (8 + coo_index_bytes);
  /// The output of a row with entries in COO is read again, and written again.
  double coo_row = 8 + 8;
  /// Two launches behind that of ELL, each 2 us of 3 TB/s (an H100's memory delivers 3.35).
  double coo_part = 2 * 2e-6 * 3e12;
};

/// What a product of ELL with so many rows and `split`, of which COO has entries in `coo_rows`
/// rows, is taken to cost.
double hyb_cost(std::int64_t rows, const HybSplit& split, std::int64_t coo_rows);

/// The one of the least `hyb_cost`, the widest of equals. In O(rows).
HybSplit cheapest_split(const PatternView& matrix, const Segment& segment);

/// That of a layout of this format, or of one that has it within (`uncached-hyb-paper`).
HybSplit hyb_split(const PatternView& matrix, const Segment& segment, const Layout& layout);

/// That of a segment whose shape `hyb_shape` says.
HybSplit hyb_split(const SegmentShape& shape);

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
