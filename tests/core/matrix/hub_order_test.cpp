#include "core/matrix/hub_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

void expect_permutation(const Permutation& order, std::int64_t rows) {
  Permutation sorted = order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, identity_permutation(rows));
}

/// Lines of 32 values that each 64 neighbouring rows look up, in total.
double lines_of_neighbouring_rows(const CsrMatrix<double>& matrix) {
  double lines = 0;
  std::set<std::int32_t> of_rows;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      of_rows.insert(matrix.column_indices[k] / 32);
    }
    if (row % 64 == 63 || row == matrix.rows - 1) {
      lines += static_cast<double>(of_rows.size());
      of_rows.clear();
    }
  }
  return lines;
}

TEST(HubOrder, IsAPermutationTheSameOnEveryRun) {
  for (const std::int64_t rows : {1, 2, 17, 600, 3000}) {
    const auto matrix = random_csr<double>(rows, rows, 3, static_cast<unsigned>(rows));
    const Permutation order = hub_order(matrix.view());
    expect_permutation(order, rows);
    EXPECT_EQ(hub_order(matrix.view()), order);
  }
  EXPECT_EQ(hub_order(CsrMatrix<double>{0, 0, {0}, {}, {}}), Permutation{});
}

TEST(HubOrder, PutsRowsWithByFarTheMostEntriesFirst) {
  const CsrMatrix<double> graph = power_law(20'000, 12, 2.1, 5);
  const Permutation order = hub_order(graph.view());
  expect_permutation(order, graph.rows);
  const auto length = [&](std::int32_t row) {
    return graph.row_offsets[row + 1] - graph.row_offsets[row];
  };
  const double mean =
      static_cast<double>(graph.view().nonzeros()) / static_cast<double>(graph.rows);
  std::int64_t hubs = 0;
  for (std::int32_t row = 0; row < graph.rows; ++row)
    hubs += static_cast<double>(length(row)) > 4 * mean ? 1 : 0;
  ASSERT_GT(hubs, 100);
  for (std::int64_t k = 0; k + 1 < hubs; ++k) {
    EXPECT_GE(length(order[k]), length(order[k + 1])) << k;
  }
}

TEST(HubOrder, BringsNeighboursTogether) {
  const CsrMatrix<double> graph = power_law(50'000, 12, 2.2, 3);
  const double given = lines_of_neighbouring_rows(graph);
  const double ordered =
      lines_of_neighbouring_rows(renumber<double>(graph.view(), hub_order(graph.view())));
  EXPECT_LT(ordered, 0.75 * given);

  const CsrMatrix<double> grid = laplacian(5, 200, 200);
  const CsrMatrix<double> mixed = renumber<double>(grid.view(), random_permutation(grid.rows, 7));
  EXPECT_LT(lines_of_neighbouring_rows(renumber<double>(mixed.view(), hub_order(mixed.view()))),
            0.15 * lines_of_neighbouring_rows(mixed));
}

TEST(HubOrder, RefusesAMatrixThatIsNotSquare) {
  EXPECT_THROW(hub_order(random_csr<double>(4, 5, 2, 1).view()), Error);
}

}  // namespace
}  // namespace sparsecast
