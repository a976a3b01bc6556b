#pragma once

#include <array>
#include <cstdint>

#include "core/access_pattern.hpp"
#include "core/csr.hpp"
#include "core/layout.hpp"
#include "core/precision.hpp"

namespace sparsecast {

class MatrixAccess;

/// Counts on `threads` threads (0: all) in O(nonzeros); the same for any number of them. Columns
/// must rise within rows; the matrix may be of any shape. Beside the matrix it takes 6 bytes a row,
/// and 5 bytes a column for each thread.
template <class T>
MatrixAccess compute_access(const CsrView<T>& matrix, int threads = 0);

/// The access patterns of one matrix in all layouts and both precisions.
class MatrixAccess {
 public:
  /// Sector look-ups are those of the matrix's entries row by row, whatever the layout; warp steps,
  /// longest row and deviation are of the layout's block rows in their stored order. Throws `Error`
  /// for a block size that is not in `block_sizes`.
  AccessPattern pattern(const Layout& layout, Precision precision) const;

 private:
  template <class T>
  friend MatrixAccess compute_access(const CsrView<T>& matrix, int threads);

  /// What a pattern says of the block rows of one size.
  struct RowCounts {
    std::array<double, 6> warp_steps_natural{};
    std::array<double, 6> warp_steps_sorted{};
    double longest = 0;
    double deviation = 0;
  };

  std::array<double, 34> lookups_f32_{};
  std::array<double, 34> lookups_f64_{};
  std::array<RowCounts, block_sizes.size()> rows_{};  ///< in the order of `block_sizes`
  double bandwidth_ = 0;
};

}  // namespace sparsecast
