#include "core/matrix/generate/grid_stencil.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/matrix/generate/convection_diffusion.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

using enum ConvectionDifferences;

TEST(GridStencil, MakesEachRowOfTheWholeMatrixAlone) {
  for (const GridStencil& stencil : {laplacian_stencil(7, 4, 5, 3), laplacian_stencil(9, 6, 1),
                                     convection_diffusion_stencil(4, 2, 3, 11, upwind)}) {
    const CsrMatrix<double> whole = all_rows(stencil);
    ASSERT_EQ(whole.rows, stencil.rows());
    for (std::int64_t row = whole.rows; row-- > 0;) {
      std::int64_t k = whole.row_offsets[row];
      stencil.visit(row, [&](std::int64_t column, double value) {
        ASSERT_LT(k, whole.row_offsets[row + 1]);
        EXPECT_EQ(column, whole.column_indices[k]);
        EXPECT_EQ(value, whole.values[k++]);
      });
      EXPECT_EQ(k, whole.row_offsets[row + 1]);
      EXPECT_EQ(stencil.length(row), k - whole.row_offsets[row]);
    }
  }
}

TEST(GridStencil, CountsRowsIn64Bits) {
  constexpr std::int64_t side = 1 << 13;
  const GridStencil stencil = laplacian_stencil(27, side, side, 1 << 7);
  ASSERT_EQ(stencil.rows(), std::int64_t{1} << 33);
  // At the last edge of the box, but not at its end.
  const std::int64_t row = stencil.rows() - 2;
  std::vector<std::int64_t> columns;
  stencil.visit(row, [&](std::int64_t column, double value) {
    columns.push_back(column);
    EXPECT_EQ(value, column == row ? 26 : -1);
  });
  std::vector<std::int64_t> expected;
  for (const std::int64_t before : {side + side * side, side * side, side, std::int64_t{0}}) {
    for (const std::int64_t step : {-1, 0, 1}) expected.push_back(row - before + step);
  }
  EXPECT_EQ(columns, expected);
  EXPECT_EQ(stencil.length(row), 12);
}

TEST(GridStencil, KnowsWhetherItsValuesAreSymmetric) {
  EXPECT_TRUE(laplacian_stencil(27, 3, 3, 3).symmetric());
  for (const ConvectionDifferences differences : {upwind, central}) {
    EXPECT_TRUE(convection_diffusion_stencil(5, 4, 3, 0, differences).symmetric());
    EXPECT_FALSE(convection_diffusion_stencil(5, 4, 1, 3, differences).symmetric());
  }
}

TEST(GridStencil, IsRefusedWithoutPointsAndForTooMany) {
  EXPECT_EQ(refusal_of([] { laplacian_stencil(7, 4, 0, 4); }),
            "laplacian on a grid of 4 x 0 x 4: expected 1 to 9007199254740992 points");
  EXPECT_NE(refusal_of([] { laplacian_stencil(7, 1 << 20, 1 << 20, 1 << 20); }), "");
  EXPECT_EQ(refusal_of([] { all_rows(laplacian_stencil(5, 1 << 16, 1 << 16)); }),
            "a matrix of 4294967296 rows: expected at most 2147483647 in one process");
}

}  // namespace
}  // namespace sparsecast
