#include "core/matrix/generate/application_generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

std::int64_t length(const CsrMatrix<double>& matrix, std::int64_t row) {
  return matrix.row_offsets[row + 1] - matrix.row_offsets[row];
}

std::int64_t longest(const CsrMatrix<double>& matrix) {
  std::int64_t most = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) most = std::max(most, length(matrix, row));
  return most;
}

double mean(const CsrMatrix<double>& matrix) {
  return static_cast<double>(matrix.nonzeros()) / static_cast<double>(matrix.rows);
}

bool has(const CsrMatrix<double>& matrix, std::int64_t row, std::int64_t column) {
  const auto begin = matrix.column_indices.begin();
  return std::binary_search(begin + matrix.row_offsets[row], begin + matrix.row_offsets[row + 1],
                            static_cast<std::int32_t>(column));
}

TEST(ImageGraph, JoinsPixelsOfADiscWhereTheyAreAlike) {
  constexpr std::int64_t width = 80;
  constexpr std::int64_t height = 70;
  const CsrMatrix<double> matrix = image_graph(width, height, 3, 0.1, 4);

  ASSERT_EQ(matrix.rows, width * height);
  std::int64_t full = 0;
  std::int64_t short_rows = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      const std::int64_t dx = matrix.column_indices[k] % width - row % width;
      const std::int64_t dy = matrix.column_indices[k] / width - row / width;
      ASSERT_LE(dx * dx + dy * dy, 9);
    }
    full += length(matrix, row) == 29 ? 1 : 0;
    short_rows += length(matrix, row) <= 15 ? 1 : 0;
  }
  EXPECT_GT(full, matrix.rows / 20);
  EXPECT_GT(short_rows, matrix.rows / 20);
}

TEST(KroneckerGraph, HasHubsAtNumbersOfFewOnes) {
  const CsrMatrix<double> matrix = kronecker_graph(4096, 12, 0.57, 4);

  EXPECT_GT(mean(matrix), 8);
  EXPECT_LT(mean(matrix), 12);
  EXPECT_EQ(longest(matrix), length(matrix, 0));
  EXPECT_GT(length(matrix, 0), 20 * mean(matrix));
  EXPECT_LT(length(matrix, 4095), mean(matrix));
}

TEST(KroneckerGraph, HasLongerHubsTheMoreIsInTheCorner) {
  EXPECT_GT(longest(kronecker_graph(4000, 12, 0.6, 4)),
            2 * longest(kronecker_graph(4000, 12, 0.3, 4)));
}

TEST(CoupledFields, AreStoredOneAfterTheOther) {
  constexpr std::int64_t nx = 9;
  constexpr std::int64_t ny = 7;
  const CsrMatrix<double> matrix = coupled_fields(nx, ny, 4);

  constexpr std::int64_t nodes = (2 * nx + 1) * (2 * ny + 1);
  constexpr std::int64_t vertices = (nx + 1) * (ny + 1);
  ASSERT_EQ(matrix.rows, 2 * nodes + 2 * vertices);
  const std::int64_t pressure = 2 * nodes;
  const std::int64_t temperature = pressure + vertices;
  for (std::int64_t row = pressure; row < temperature; ++row) {
    // Itself, and two velocities at the nodes of its triangles.
    EXPECT_EQ(length(matrix, row) % 2, 1);
    for (std::int64_t column = pressure; column < matrix.rows; ++column) {
      EXPECT_EQ(has(matrix, row, column), row == column);
    }
  }
  for (std::int64_t node = 0; node < nodes; ++node) {
    EXPECT_EQ(length(matrix, node), length(matrix, nodes + node));
    EXPECT_TRUE(has(matrix, node, nodes + node));
  }
  for (std::int64_t vertex = 0; vertex < vertices; ++vertex) {
    const std::int64_t node = 2 * (vertex / (nx + 1)) * (2 * nx + 1) + 2 * (vertex % (nx + 1));
    EXPECT_TRUE(has(matrix, temperature + vertex, node));
    EXPECT_TRUE(has(matrix, pressure + vertex, nodes + node));
  }
}

/// Vertices and edges of a mesh without gaps follow from Euler's formula.
TEST(CoupledFields, HaveAMeshWithoutGaps) {
  constexpr std::int64_t nx = 6;
  constexpr std::int64_t ny = 5;
  const CsrMatrix<double> matrix = coupled_fields(nx, ny, 8);

  const std::int64_t temperature = matrix.rows - (nx + 1) * (ny + 1);
  std::int64_t entries = 0;
  for (std::int64_t row = temperature; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      entries += matrix.column_indices[k] >= temperature ? 1 : 0;
    }
  }
  const std::int64_t vertices = (nx + 1) * (ny + 1);
  const std::int64_t edges = vertices + 2 * nx * ny - 1;
  EXPECT_EQ(entries, vertices + 2 * edges);
}

TEST(Netlist, HasShortRowsAndAFewSupplyNets) {
  const CsrMatrix<double> matrix = netlist(20000, 5, 4, 8, 4);

  std::vector<std::int64_t> lengths(matrix.rows);
  for (std::int64_t row = 0; row < matrix.rows; ++row) lengths[row] = length(matrix, row);
  std::ranges::sort(lengths);
  EXPECT_NEAR(mean(matrix), 5, 0.6);
  EXPECT_LT(lengths[lengths.size() - 5], 40);
  EXPECT_GT(lengths[lengths.size() - 4], 200);
  EXPECT_NEAR(static_cast<double>(lengths.back()), 20000 / 8 / 2, 100);
  EXPECT_GT(length(matrix, 20000 / 8), 1000);
}

TEST(ScatteredBand, HasABandAndEntriesAnywhere) {
  const CsrMatrix<double> matrix = scattered_band(20000, 6, 0.5, 2, 4);

  std::int64_t outside = 0;
  std::int64_t far = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      const std::int64_t distance = std::abs(matrix.column_indices[k] - row);
      outside += distance > 6 ? 1 : 0;
      far += distance > 10000 ? 1 : 0;
    }
  }
  EXPECT_NEAR(mean(matrix), 1 + 6 + 2, 0.1);
  EXPECT_NEAR(static_cast<double>(outside) / 20000, 2, 0.1);
  EXPECT_NEAR(static_cast<double>(far) / static_cast<double>(outside), 0.25, 0.03);
  EXPECT_EQ(scattered_band(50, 3, 1, 0, 1).nonzeros(), 7 * 50 - 12);
}

TEST(ApplicationGenerators, MakeOtherMatricesOfOtherSeeds) {
  EXPECT_NE(kronecker_graph(500, 8, 0.57, 1).column_indices[20] +
                kronecker_graph(500, 8, 0.57, 1).nonzeros(),
            kronecker_graph(500, 8, 0.57, 2).column_indices[20] +
                kronecker_graph(500, 8, 0.57, 2).nonzeros());
  EXPECT_NE(netlist(500, 5, 2, 9, 1).nonzeros(), netlist(500, 5, 2, 9, 2).nonzeros());
}

TEST(ApplicationGenerators, RefuseNumbersOutOfRange) {
  EXPECT_THROW(image_graph(0, 5, 2, 0.1, 1), Error);
  EXPECT_THROW(image_graph(1 << 20, 1 << 20, 2, 0.1, 1), Error);
  EXPECT_THROW(image_graph(5, 5, 0.5, 0.1, 1), Error);
  EXPECT_THROW(image_graph(5, 5, 2, 0, 1), Error);
  EXPECT_THROW(kronecker_graph(0, 1, 0.5, 1), Error);
  EXPECT_THROW(kronecker_graph(10, 20, 0.5, 1), Error);
  EXPECT_THROW(kronecker_graph(10, 5, 0.95, 1), Error);
  EXPECT_THROW(coupled_fields(0, 4, 1), Error);
  EXPECT_THROW(coupled_fields(1 << 16, 1 << 16, 1), Error);
  EXPECT_THROW(netlist(10, 1, 1, 2, 1), Error);
  EXPECT_THROW(netlist(10, 5, 0, 2, 1), Error);
  EXPECT_THROW(netlist(10, 5, 1, 0.5, 1), Error);
  EXPECT_THROW(scattered_band(10, 10, 0.5, 1, 1), Error);
  EXPECT_THROW(scattered_band(10, 3, 1.5, 1, 1), Error);
  EXPECT_THROW(scattered_band(10, 3, 0.5, -1, 1), Error);
}

}  // namespace
}  // namespace sparsecast
