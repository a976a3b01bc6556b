#include "core/matrix/metis_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/analysis/exchange_plan.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

std::int64_t halo_rows(const CsrMatrix<double>& matrix, int devices, int block_size) {
  const Layout layout = block_layout(block_size);
  const auto segments = partition(matrix.view(), layout, devices, 32);
  std::int64_t rows = 0;
  for (const SegmentHalo& halo : find_halos(matrix.view(), segments, layout)) {
    rows += halo.needed_rows();
  }
  return rows;
}

CsrMatrix<double> shuffled(const CsrMatrix<double>& matrix) {
  return renumber<double>(matrix, random_permutation(matrix.rows, 5));
}

TEST(MetisOrder, HoldsEachRowOnceAndIsTheSameOnEveryRun) {
  const CsrMatrix<double> matrix = shuffled(laplacian(7, 12, 11, 10));

  const Permutation order = metis_order(matrix, 3);

  Permutation sorted = order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, identity_permutation(matrix.rows));
  EXPECT_EQ(metis_order(matrix, 3), order);
}

TEST(MetisOrder, LeavesAShuffledStencilASmallHalo) {
  const CsrMatrix<double> matrix = shuffled(laplacian(5, 60, 60));
  for (const int parts : {2, 3, 4}) {
    const CsrMatrix<double> ordered = renumber<double>(matrix, metis_order(matrix, parts));
    EXPECT_LT(halo_rows(ordered, parts, 1), 500) << parts << " parts";
    EXPECT_GT(halo_rows(matrix, parts, 1), 2500) << parts << " parts";
  }
}

TEST(MetisOrder, PutsRowsWithoutOtherPartsFirstSoThatTheyFillGroups) {
  const CsrMatrix<double> matrix = shuffled(laplacian(5, 60, 60));
  const CsrMatrix<double> ordered = renumber<double>(matrix, metis_order(matrix, 2));
  const auto segments = partition(ordered.view(), Layout{}, 2, 32);
  for (const SegmentHalo& halo : find_halos(ordered.view(), segments, Layout{})) {
    EXPECT_GT(halo.interior_rows, 1500);
  }
}

TEST(MetisOrder, KeepsTheUnknownsOfANodeTogether) {
  const CsrMatrix<double> matrix = fem_elasticity(1, 6, 1);

  const Permutation order = metis_order(matrix, 4);

  for (std::size_t k = 0; k < order.size(); k += 3) {
    ASSERT_EQ(order[k] % 3, 0);
    ASSERT_EQ(order[k + 1], order[k] + 1);
    ASSERT_EQ(order[k + 2], order[k] + 2);
  }
}

TEST(MetisOrder, TakesUnconnectedRowsAndAnUnsymmetricPattern) {
  const CsrMatrix<double> matrix = random_csr<double>(200, 200, 1, 31);
  Permutation order = metis_order(matrix, 4);
  std::ranges::sort(order);
  EXPECT_EQ(order, identity_permutation(200));
}

TEST(MetisOrder, KeepsTheOrderForOnePartAndForMorePartsThanRows) {
  const CsrMatrix<double> matrix = laplacian(5, 3, 3);
  EXPECT_EQ(metis_order(matrix, 1), identity_permutation(9));
  EXPECT_EQ(metis_order(matrix, 9), identity_permutation(9));
  EXPECT_EQ(metis_order(matrix, 100), identity_permutation(9));
  EXPECT_EQ(metis_order(CsrMatrix<double>{0, 0, {0}, {}, {}}, 2), Permutation{});
}

TEST(MetisOrder, RefusesWhatIsNotSquareAndNoParts) {
  EXPECT_THROW(metis_order(random_csr<double>(20, 21, 3, 32), 2), Error);
  EXPECT_THROW(metis_order(laplacian(5, 3, 3), 0), Error);
}

}  // namespace
}  // namespace sparsecast
