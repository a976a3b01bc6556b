#include "core/matrix/application_orders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/generate/application_generators.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

/// Entries of the Cholesky factor's lower triangle, by merging columns' patterns into parents'.
std::int64_t factor_entries(const CsrMatrix<double>& matrix) {
  std::vector<std::vector<std::int32_t>> columns(matrix.rows);
  std::int64_t entries = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    auto& below = columns[row];
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      if (matrix.column_indices[k] > row) below.push_back(matrix.column_indices[k]);
    }
    std::ranges::sort(below);
    below.erase(std::unique(below.begin(), below.end()), below.end());
    entries += 1 + std::ssize(below);
    if (below.empty()) continue;
    auto& parent = columns[below.front()];
    parent.insert(parent.end(), below.begin() + 1, below.end());
  }
  return entries;
}

TEST(NestedDissection, HoldsEachRowOnceAndIsTheSameOnEveryRun) {
  const CsrMatrix<double> matrix = coupled_fields(8, 9, 3);

  const Permutation order = nested_dissection(matrix);

  Permutation sorted = order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, identity_permutation(matrix.rows));
  EXPECT_EQ(nested_dissection(matrix), order);
  EXPECT_NE(order, sorted);
}

TEST(NestedDissection, GivesAFactorFewEntries) {
  const CsrMatrix<double> matrix = laplacian(5, 60, 60);
  const CsrMatrix<double> ordered = renumber<double>(matrix, nested_dissection(matrix));

  EXPECT_LT(2 * factor_entries(ordered), factor_entries(matrix));
}

TEST(NestedDissection, KeepsTheUnknownsOfANodeTogether) {
  const Permutation order = nested_dissection(with_components(laplacian(5, 20, 15).view(), 3));
  for (std::size_t i = 0; i < order.size(); i += 3) {
    EXPECT_EQ(order[i] % 3, 0);
    EXPECT_EQ(order[i + 1], order[i] + 1);
    EXPECT_EQ(order[i + 2], order[i] + 2);
  }
}

TEST(NestedDissection, OfRowsWithoutNeighboursIsTheirOrder) {
  EXPECT_EQ(nested_dissection(scattered_band(9, 0, 0, 0, 1)), identity_permutation(9));
  EXPECT_EQ(nested_dissection(CsrMatrix<double>{0, 0, {0}, {}, {}}), Permutation{});
}

TEST(HubsFirst, SortsRowsByLengthAndKeepsTheOrderOfEqualOnes) {
  const CsrMatrix<double> matrix = kronecker_graph(600, 7, 0.57, 3);
  const auto length = [&](std::int32_t row) {
    return matrix.row_offsets[row + 1] - matrix.row_offsets[row];
  };

  const Permutation order = hubs_first(matrix);

  Permutation sorted = order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, identity_permutation(matrix.rows));
  for (std::size_t i = 1; i < order.size(); ++i) {
    EXPECT_GE(length(order[i - 1]), length(order[i]));
    if (length(order[i - 1]) == length(order[i])) {
      EXPECT_LT(order[i - 1], order[i]);
    }
  }
}

TEST(ApplicationOrders, RefuseMatricesThatAreNotSquare) {
  const CsrMatrix<double> wide{1, 2, {0, 1}, {1}, {1.0}};
  EXPECT_THROW(nested_dissection(wide), Error);
  EXPECT_THROW(hubs_first(wide), Error);
}

}  // namespace
}  // namespace sparsecast
