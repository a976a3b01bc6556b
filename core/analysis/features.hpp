#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/format.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

namespace sparsecast {

struct RowLengths {
  std::int64_t min = 0;
  std::int64_t max = 0;
  double mean = 0;
  double stddev = 0;
  /// histogram[k]: rows with length 0 (k = 0) or in [2^(k-1), 2^k) (k > 0).
  std::vector<std::int64_t> histogram;
};

/// The row lengths that an entry of the histogram counts, both included.
struct RowLengthRange {
  std::int64_t from = 0;
  std::int64_t to = 0;
};
RowLengthRange row_length_range(std::size_t histogram_class);

/// A matrix seen in N x N blocks aligned at row and column 0; partial blocks at the edges count as
/// full ones (as in Table 5).
struct BlockFeatures {
  int block_size = 1;
  std::int64_t block_rows = 0;
  std::int64_t blocks = 0;          ///< non-empty ones
  std::int64_t block_elements = 0;  ///< e = blocks * N * N
  double block_density = 1;         ///< d_N = nonzeros / e
  std::int64_t max_blocks_per_row = 0;
  /// What the paper's multiple-block-row mapping stores with T = 256 threads a thread block and
  /// Bx = 1 (sections 3.3 to 3.5): max(1, T / N^2) block rows of one thread block padded to the
  /// longest, in natural order and sorted.
  std::int64_t padded_elements_natural = 0;
  std::int64_t padded_elements_sorted = 0;
};

struct MatrixFeatures {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t explicit_zeros = 0;  ///< stored entries whose value is 0 (among the nonzeros)
  std::int64_t not_finite = 0;      ///< stored entries that are NaN or infinite
  RowLengths row_length;
  std::int64_t bandwidth = 0;  ///< largest |column - row| of an entry
  bool pattern_symmetric = false;
  bool symmetric = false;             ///< values too, to the last bit
  std::int64_t missing_diagonal = 0;  ///< rows i < columns without an entry (i, i)
  std::int64_t zero_diagonal = 0;
  std::int64_t negative_diagonal = 0;
  std::array<BlockFeatures, block_sizes.size()> blocks;  ///< in the order of `block_sizes`

  /// The entry for block size N. Throws `Error` if N is not in `block_sizes`.
  const BlockFeatures& block(int block_size) const;
  /// What usual layouts need that their formats count themselves (`Format::count`), by the format's
  /// name.
  std::map<std::string, std::map<std::string, double>, std::less<>> format_counts;

  /// What a format's sizes follow from.
  PatternNumbers numbers(std::string_view format) const;
  /// The whole matrix as one segment in a CPU layout. Throws `Error` where nobody counted what the
  /// format needs.
  SegmentShape shape(const Layout& layout) const;
};

/// All features in O(nonzeros), on `threads` threads (0: all); the matrix may be of any shape.
/// Columns must rise within rows. Beside the matrix it takes 6 bytes a row, and 3 bytes a column
/// for each thread.
template <class T>
MatrixFeatures compute_features(const CsrView<T>& matrix, int threads = 0);

}  // namespace sparsecast
