#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/precision.hpp"
#include "core/matrix/csr.hpp"
#include "core/workload/access_pattern.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// Block rows with so many blocks.
struct RowLengthCount {
  std::int64_t blocks = 0;
  std::int64_t rows = 0;
};

/// The first of the 32 block rows, aligned, that a warp may take together: where columns in few
/// bits count from.
constexpr std::int64_t column_base(std::int64_t block_row) {
  return block_row / 32 * 32;
}

/// The extremes of block column minus `column_base` of the block row.
struct ColumnReach {
  std::int64_t below = 0;  ///< the least, 0 at most
  std::int64_t above = 0;  ///< the most, 0 at least
};

struct Segment;  // core/matrix/segment.hpp
class MatrixAccess;

/// Counts on `threads` threads (0: all) in O(nonzeros); the same for any number of them. Columns
/// must rise within rows; the matrix may be of any shape. Beside the matrix it takes 6 bytes a row,
/// and 5 bytes a column for each thread.
template <class T>
MatrixAccess compute_access(const CsrView<T>& matrix, int threads = 0);

/// The same of the rows of a segment alone: rows and columns keep their numbers in the matrix, by
/// which 32 of them are a warp's. Block rows of a size that the segment is not cut for count as far
/// as they are in it.
template <class T>
MatrixAccess compute_access(const CsrView<T>& matrix, const Segment& segment, int threads = 0);

/// The same of segments that follow each other, which may be thousands: what is taken beside the
/// matrix is taken once for each thread.
template <class T>
std::vector<MatrixAccess> compute_access(const CsrView<T>& matrix,
                                         std::span<const Segment> segments, int threads = 0);

/// The block rows of one size.
struct BlockRowCounts {
  std::vector<RowLengthCount> lengths;  ///< by rising length
  ColumnReach reach;
  std::array<double, 6> warp_steps_natural{};
  std::array<double, 6> warp_steps_sorted{};
  double longest = 0;
  double deviation = 0;
};

/// What is counted of a matrix, or a segment of it, for its access patterns.
struct AccessCounts {
  std::array<double, 34> lookups_f32{};
  std::array<double, 34> lookups_f64{};
  double bandwidth = 0;
  std::array<BlockRowCounts, block_sizes.size()> rows{};  ///< in the order of `block_sizes`
};

/// The access patterns of one matrix, or a segment of it, in all layouts and both precisions.
class MatrixAccess {
 public:
  MatrixAccess() = default;  ///< of no rows
  explicit MatrixAccess(AccessCounts counts) : counts_(std::move(counts)) {}

  /// Sector look-ups are those of the matrix's entries row by row, whatever the layout; warp steps,
  /// longest row and deviation are of the layout's block rows in their stored order. Throws `Error`
  /// for a block size that is not in `block_sizes`.
  AccessPattern pattern(const Layout& layout, Precision precision) const;
  /// The lengths of block rows, by rising length. Throws like `pattern`.
  std::span<const RowLengthCount> row_lengths(int block_size) const;
  /// Throws like `pattern`.
  ColumnReach column_reach(int block_size) const;

  const AccessCounts& counts() const { return counts_; }

 private:
  const BlockRowCounts& rows_of(int block_size) const;

  AccessCounts counts_;
};

}  // namespace sparsecast
