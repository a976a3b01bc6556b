#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/matrix/csr.hpp"
#include "core/matrix/renumber.hpp"
#include "core/matrix/segment.hpp"

/// @file
/// The rows of a segment in clusters whose entries lie mostly in the same columns.

namespace sparsecast {

struct RowClusters {
  /// The segment's rows, counted from its first, cluster by cluster; rising in each.
  Permutation order;
  /// The place in `order` where each cluster begins, and the end.
  std::vector<std::int64_t> first{0};

  std::int64_t count() const { return std::ssize(first) - 1; }
};

/// Clusters of at most `most_rows` rows that METIS finds in the symmetrised pattern of the
/// segment's rows and the same columns, so that few entries lie between them (k-way partition by
/// edge cut, Karypis and Kumar 1998), each row alike. Consecutive rows with the same pattern stay
/// together where that is possible. The same on every run. Of a matrix that is not square, whose
/// rows and columns are different things, and of one without such entries, those of consecutive
/// rows.
///
/// Throws `Error` for a segment outside the matrix, and, with what to use instead, for a graph
/// beyond METIS's 32-bit numbers or the memory.
RowClusters metis_clusters(const PatternView& matrix, const Segment& segment,
                           std::int64_t most_rows, std::string_view instead = "rcm");

/// Clusters of at most `most_rows` consecutive rows, cut where the fewest entries lie on both
/// sides, summed over the cuts; among equals the fewest clusters, and the first as large as they
/// may be. Only entries that a cluster could hold count. So the clusters that a matrix is
/// renumbered by are found again, or others that cut as little. In O(nonzeros). Throws `Error` for
/// a segment outside the matrix.
RowClusters consecutive_clusters(const PatternView& matrix, const Segment& segment,
                                 std::int64_t most_rows);

}  // namespace sparsecast
