#include "core/matrix/row_clusters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "core/formats/pkt/pkt.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// Each of so many rows once, in clusters that are not empty, of at most so many, rising in each.
void expect_clusters(const RowClusters& clusters, std::int64_t rows, std::int64_t most_rows) {
  Permutation sorted = clusters.order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, identity_permutation(rows));
  EXPECT_EQ(clusters.first.front(), 0);
  EXPECT_EQ(clusters.first.back(), rows);
  for (std::int64_t c = 0; c < clusters.count(); ++c) {
    const std::int64_t begin = clusters.first[c];
    const std::int64_t end = clusters.first[c + 1];
    EXPECT_LT(begin, end);
    EXPECT_LE(end - begin, most_rows);
    EXPECT_TRUE(std::is_sorted(clusters.order.begin() + begin, clusters.order.begin() + end));
  }
}

/// Entries that lie in no packet of such clusters, over all.
double share_outside(const CsrMatrix<double>& matrix, const RowClusters& clusters) {
  const PacketSize size = packet_size(matrix.view().pattern(), {0, matrix.rows}, clusters, 128);
  return static_cast<double>(size.rest) / static_cast<double>(matrix.nonzeros());
}

RowClusters metis_of(const CsrMatrix<double>& matrix, std::int64_t most_rows) {
  return metis_clusters(matrix.view().pattern(), {0, matrix.rows}, most_rows);
}
RowClusters consecutive_of(const CsrMatrix<double>& matrix, std::int64_t most_rows) {
  return consecutive_clusters(matrix.view().pattern(), {0, matrix.rows}, most_rows);
}

TEST(MetisClusters, AreBoundedWhateverTheMatrix) {
  const std::vector<CsrMatrix<double>> matrices{laplacian(5, 60, 61),
                                                fem_elasticity(1, 10, 1),
                                                power_law(5000, 8, 2.2, 3),
                                                arrow(3000, 2),
                                                random_csr<double>(2500, 2500, 3, 1),
                                                random_csr<double>(900, 40, 3, 2),
                                                random_csr<double>(900, 9000, 3, 3),
                                                random_csr<double>(3000, 3000, 0, 4),
                                                dense(700, 1)};
  for (const CsrMatrix<double>& matrix : matrices) {
    for (const std::int64_t most_rows : {1, 3, 97, 500, 2000}) {
      SCOPED_TRACE(testing::Message() << matrix.rows << " rows in clusters of " << most_rows);
      expect_clusters(metis_of(matrix, most_rows), matrix.rows, most_rows);
      expect_clusters(consecutive_of(matrix, most_rows), matrix.rows, most_rows);
    }
  }
}

TEST(MetisClusters, LeaveFewEntriesOfAGridOutside) {
  // A packet of 500 points of a plane has about 90 neighbours around it.
  const CsrMatrix<double> grid = laplacian(5, 120, 120);
  const CsrMatrix<double> shuffled =
      renumber<double>(grid.view(), random_permutation(grid.rows, 5));
  EXPECT_LT(share_outside(shuffled, metis_of(shuffled, 500)), 0.06);
  EXPECT_GT(share_outside(shuffled, consecutive_of(shuffled, 500)), 0.7);
}

TEST(MetisClusters, AreTheSameOnEveryRun) {
  const CsrMatrix<double> matrix = fem_elasticity(1, 12, 3);
  EXPECT_EQ(metis_of(matrix, 500).order, metis_of(matrix, 500).order);
}

TEST(MetisClusters, OfASegmentAreOfItsRows) {
  const CsrMatrix<double> matrix = fem_elasticity(1, 12, 3);
  const PatternView pattern = matrix.view().pattern();
  expect_clusters(metis_clusters(pattern, {1500, 5000}, 500), 3500, 500);
  expect_clusters(metis_clusters(pattern, {40, 40}, 500), 0, 500);
  EXPECT_NE(refusal_of([&] { metis_clusters(pattern, {0, matrix.rows + 1}, 500); }), "accepted");
}

TEST(ConsecutiveClusters, CutAMatrixRenumberedByMetisAsMetisDid) {
  const CsrMatrix<double> matrix = fem_elasticity(1, 14, 3);
  const RowClusters clusters = metis_of(matrix, 500);
  ASSERT_GT(clusters.count(), 10);
  const CsrMatrix<double> renumbered = renumber<double>(matrix.view(), clusters.order);
  const RowClusters again = consecutive_of(renumbered, 500);
  EXPECT_EQ(again.order, identity_permutation(matrix.rows));
  EXPECT_EQ(again.count(), clusters.count());
  EXPECT_LE(share_outside(renumbered, again), 1.01 * share_outside(matrix, clusters));
}

TEST(ConsecutiveClusters, CutTheFewestEntries) {
  // Chains of 70 and 40 rows by turns, which no entry connects.
  CsrMatrix<double> chains = laplacian(3, 1100);
  Buffer<std::int32_t> columns;
  Buffer<std::int64_t> offsets{0};
  const auto chain = [](std::int64_t row) { return row / 110 * 2 + (row % 110 >= 70 ? 1 : 0); };
  for (std::int64_t row = 0; row < 1100; ++row) {
    for (std::int64_t k = chains.row_offsets[row]; k < chains.row_offsets[row + 1]; ++k) {
      const std::int32_t column = chains.column_indices[k];
      if (chain(column) == chain(row)) columns.push_back(column);
    }
    offsets.push_back(std::ssize(columns));
  }
  const PatternView pattern{1100, 1100, offsets, columns};
  const RowClusters clusters = consecutive_clusters(pattern, {0, 1100}, 75);
  EXPECT_EQ(clusters.count(), 20);
  EXPECT_EQ(packet_size(pattern, {0, 1100}, clusters, 8).rest, 0);
}

TEST(ConsecutiveClusters, AreAsLargeAsTheyMayBeWhereAllCutsAreAlike) {
  const CsrMatrix<double> line = laplacian(3, 1000);
  EXPECT_EQ(consecutive_of(line, 300).first, (std::vector<std::int64_t>{0, 300, 600, 900, 1000}));
  EXPECT_EQ(consecutive_of(line, 1000).count(), 1);
}

TEST(MetisClusters, AreTheSameWhoeverElseCallsMetis) {
  const CsrMatrix<double> matrix = random_csr<double>(8000, 8000, 4, 11);
  const Permutation expected = metis_of(matrix, 500).order;
  constexpr int callers = 4;
  std::vector<Permutation> found(callers);
  {
    std::vector<std::jthread> threads;
    for (Permutation& order : found) {
      threads.emplace_back([&] { order = metis_of(matrix, 500).order; });
    }
  }
  for (const Permutation& order : found) EXPECT_EQ(order, expected);
}

}  // namespace
}  // namespace sparsecast
