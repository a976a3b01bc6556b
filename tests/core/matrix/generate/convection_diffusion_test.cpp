#include "core/matrix/generate/convection_diffusion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

using enum ConvectionDifferences;

double value_at(const CsrMatrix<double>& matrix, std::int64_t row, std::int64_t column) {
  for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
    if (matrix.column_indices[k] == column) return matrix.values[k];
  }
  return 0;
}

TEST(ConvectionDiffusion, WithoutWindIsTheLaplacian) {
  for (const ConvectionDifferences differences : {upwind, central}) {
    const CsrMatrix<double> plane = convection_diffusion(6, 5, 1, 0, differences);
    const CsrMatrix<double> box = convection_diffusion(4, 3, 5, 0, differences);
    EXPECT_EQ(plane.values, laplacian(5, 6, 5).values);
    EXPECT_EQ(plane.column_indices, laplacian(5, 6, 5).column_indices);
    EXPECT_EQ(box.values, laplacian(7, 4, 3, 5).values);
  }
}

TEST(ConvectionDiffusion, HasTheDifferencesOfTheWindAlongEachAxis) {
  // 9 points a side: a spacing of 0.1, so the wind adds 3, 1.5 and 0.75.
  const std::int64_t middle = 4 + 9 * (4 + 9 * 4);
  const CsrMatrix<double> against = convection_diffusion(9, 9, 9, 30, upwind);
  EXPECT_DOUBLE_EQ(value_at(against, middle, middle), 6 + 3 + 1.5 + 0.75);
  EXPECT_DOUBLE_EQ(value_at(against, middle, middle - 1), -4);
  EXPECT_DOUBLE_EQ(value_at(against, middle, middle - 9), -2.5);
  EXPECT_DOUBLE_EQ(value_at(against, middle, middle - 81), -1.75);
  EXPECT_DOUBLE_EQ(value_at(against, middle, middle + 1), -1);
  EXPECT_DOUBLE_EQ(value_at(against, middle, middle + 81), -1);

  const CsrMatrix<double> both = convection_diffusion(9, 9, 9, 30, central);
  EXPECT_DOUBLE_EQ(value_at(both, middle, middle), 6);
  EXPECT_DOUBLE_EQ(value_at(both, middle, middle - 1), -2.5);
  EXPECT_DOUBLE_EQ(value_at(both, middle, middle + 1), 0.5);
  EXPECT_DOUBLE_EQ(value_at(both, middle, middle - 9), -1.75);
  EXPECT_DOUBLE_EQ(value_at(both, middle, middle + 9), -0.25);
}

TEST(ConvectionDiffusion, IsOfTheOrderOfItsDifferences) {
  // Of u = x^3 (y + 1), at a point inside.
  const auto error = [](std::int64_t n, ConvectionDifferences differences) {
    const double peclet = 10;
    const CsrMatrix<double> matrix = convection_diffusion(n, n, 1, peclet, differences);
    const double h = 1 / static_cast<double>(n + 1);
    const auto u = [h, n](std::int64_t row) {
      const double x = h * static_cast<double>(row % n + 1);
      const double y = h * static_cast<double>(row / n + 1);
      return x * x * x * (y + 1);
    };
    const std::int64_t row = n / 2 + n * (n / 2);
    double sum = 0;
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      sum += matrix.values[k] * u(matrix.column_indices[k]);
    }
    const double x = h * static_cast<double>(n / 2 + 1);
    const double exact =
        -6 * x * (x + 1) + peclet * (3 * x * x * (x + 1) + x * x * x / 2);  // y = x there
    return std::abs(sum / (h * h) - exact);
  };
  EXPECT_NEAR(error(99, upwind) / error(199, upwind), 2, 0.1);
  EXPECT_NEAR(error(99, central) / error(199, central), 4, 0.1);
}

TEST(ConvectionDiffusion, RefusesWhatMakesNone) {
  EXPECT_THROW(convection_diffusion(1, 5, 1, 1, upwind), Error);
  EXPECT_THROW(convection_diffusion(5, 5, 0, 1, upwind), Error);
  EXPECT_THROW(convection_diffusion(5, 5, 1, -1, upwind), Error);
  EXPECT_THROW(convection_diffusion(5, 5, 1, std::numeric_limits<double>::infinity(), upwind),
               Error);
  EXPECT_THROW(convection_diffusion(100'000, 100'000, 1, 1, upwind), Error);
}

}  // namespace
}  // namespace sparsecast
