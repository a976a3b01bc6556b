#include "core/matrix/cuthill_mckee.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

bool is_permutation_of_all(Permutation permutation) {
  std::sort(permutation.begin(), permutation.end());
  Permutation all(permutation.size());
  std::iota(all.begin(), all.end(), 0);
  return permutation == all;
}

TEST(ReverseCuthillMckee, BringsARandomlyRenumberedLaplacianToANarrowBand) {
  const CsrMatrix<double> grid = laplacian(5, 40, 25);
  const CsrMatrix<double> mixed = renumber<double>(grid, random_permutation(grid.rows, 6));

  const Permutation order = reverse_cuthill_mckee(mixed);
  const CsrMatrix<double> banded = renumber<double>(mixed, order);

  EXPECT_TRUE(is_permutation_of_all(order));
  EXPECT_GT(compute_features<double>(mixed).bandwidth, 900);
  // The levels of a 40 x 25 grid from its corner are its diagonals, of at most 25 points.
  EXPECT_LE(compute_features<double>(banded).bandwidth, 26);
}

TEST(ReverseCuthillMckee, OrdersEveryComponentOfAnUnsymmetricPattern) {
  // An arrow 0 -> 3, a pair 1 - 4, and 2 alone.
  CsrMatrix<double> matrix;
  matrix.rows = 5;
  matrix.columns = 5;
  matrix.row_offsets = {0, 1, 2, 2, 2, 3};
  matrix.column_indices = {3, 4, 1};
  matrix.values = {1, 1, 1};

  const Permutation order = reverse_cuthill_mckee(matrix);

  EXPECT_TRUE(is_permutation_of_all(order));
  EXPECT_EQ(compute_features<double>(renumber<double>(matrix, order)).bandwidth, 1);
}

TEST(ReverseCuthillMckee, RefusesAMatrixThatIsNotSquare) {
  EXPECT_THROW(reverse_cuthill_mckee(random_csr<double>(20, 21, 3, 32)), Error);
}

}  // namespace
}  // namespace sparsecast
