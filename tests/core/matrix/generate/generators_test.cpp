#include "core/matrix/generate/generators.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/application_generators.hpp"

namespace sparsecast {
namespace {

std::uint64_t hash_bytes(std::uint64_t hash, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3ULL;
  }
  return hash;
}

/// FNV-1a of the three arrays.
std::uint64_t fingerprint(const CsrMatrix<double>& matrix) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  hash = hash_bytes(hash, std::as_bytes(std::span(matrix.row_offsets)));
  hash = hash_bytes(hash, std::as_bytes(std::span(matrix.column_indices)));
  return hash_bytes(hash, std::as_bytes(std::span(matrix.values)));
}

Eigen::SparseMatrix<double> to_eigen(const CsrMatrix<double>& matrix) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      entries.emplace_back(static_cast<int>(row), matrix.column_indices[k], matrix.values[k]);
    }
  }
  Eigen::SparseMatrix<double> result(matrix.rows, matrix.columns);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

struct Statistics {
  double mean = 0;
  double stddev = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
};

Statistics row_statistics(const CsrMatrix<double>& matrix) {
  Statistics result;
  result.mean = static_cast<double>(matrix.nonzeros()) / static_cast<double>(matrix.rows);
  result.min = matrix.columns;
  double squares = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t length = matrix.row_offsets[row + 1] - matrix.row_offsets[row];
    const double difference = static_cast<double>(length) - result.mean;
    squares += difference * difference;
    result.min = std::min(result.min, length);
    result.max = std::max(result.max, length);
  }
  result.stddev = std::sqrt(squares / static_cast<double>(matrix.rows));
  return result;
}

RandomMatrixSpec random_spec(bool symmetric) {
  RandomMatrixSpec spec;
  spec.rows = 1200;
  spec.mean_row_length = 20;
  spec.stddev_row_length = 5;
  spec.bandwidth_fraction = 0.3;
  spec.row_similarity = 0.4;
  spec.mean_run_length = 2.5;
  spec.symmetric = symmetric;
  spec.seed = 7;
  return spec;
}

/// Matrices of a few hundred to a few thousand rows, of every generator, by name.
using Generator = std::function<CsrMatrix<double>(int threads)>;
const std::map<std::string, Generator>& small_generators() {
  static const std::map<std::string, Generator> all{
      {"laplacian3", [](int threads) { return laplacian(3, 5000, 1, 1, threads); }},
      {"laplacian5", [](int threads) { return laplacian(5, 70, 61, 1, threads); }},
      {"laplacian7", [](int threads) { return laplacian(7, 17, 19, 23, threads); }},
      {"laplacian9", [](int threads) { return laplacian(9, 70, 61, 1, threads); }},
      {"laplacian27", [](int threads) { return laplacian(27, 17, 19, 23, threads); }},
      {"fem_elasticity_p1", [](int threads) { return fem_elasticity(1, 11, 3, threads); }},
      {"fem_elasticity_p2", [](int threads) { return fem_elasticity(2, 5, 3, threads); }},
      {"trefethen", [](int threads) { return trefethen(1200, threads); }},
      {"dense", [](int threads) { return dense(400, 5, threads); }},
      {"random_symmetric", [](int threads) { return random_matrix(random_spec(true), threads); }},
      {"random_general", [](int threads) { return random_matrix(random_spec(false), threads); }},
      {"power_law", [](int threads) { return power_law(3000, 12, 2.2, 9, threads); }},
      {"image", [](int threads) { return image_graph(60, 50, 3.5, 0.15, 3, threads); }},
      {"kronecker", [](int threads) { return kronecker_graph(2500, 9, 0.57, 3, threads); }},
      {"fields", [](int threads) { return coupled_fields(14, 11, 3, threads); }},
      {"netlist", [](int threads) { return netlist(3000, 5, 3, 8, 3, threads); }},
      {"band", [](int threads) { return scattered_band(1500, 9, 0.6, 1.5, 3, threads); }},
      {"spd_surrogate",
       [](int threads) {
         return spd_surrogate(random_matrix(random_spec(false), threads), threads);
       }},
  };
  return all;
}

class GeneratorOf : public ::testing::TestWithParam<std::string> {
 protected:
  CsrMatrix<double> generate(int threads = 0) const {
    return small_generators().at(GetParam())(threads);
  }
};

std::vector<std::string> names(const std::function<bool(const std::string&)>& wanted) {
  std::vector<std::string> result;
  for (const auto& [name, generator] : small_generators()) {
    if (wanted(name)) result.push_back(name);
  }
  return result;
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

TEST_P(GeneratorOf, GivesAValidSquareMatrix) {
  const CsrMatrix<double> matrix = generate();

  EXPECT_EQ(matrix.rows, matrix.columns);
  ASSERT_EQ(static_cast<std::int64_t>(matrix.row_offsets.size()), matrix.rows + 1);
  EXPECT_EQ(matrix.row_offsets.back(), matrix.nonzeros());
  ASSERT_EQ(matrix.values.size(), matrix.column_indices.size());
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    std::int64_t last = -1;
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      ASSERT_GT(matrix.column_indices[k], last) << "row " << row;
      last = matrix.column_indices[k];
      ASSERT_NE(matrix.values[k], 0.0) << "row " << row;
    }
    ASSERT_LT(last, matrix.columns);
  }
}
INSTANTIATE_TEST_SUITE_P(Any, GeneratorOf,
                         ::testing::ValuesIn(names([](const std::string&) { return true; })),
                         name_of);

/// The bytes that these arguments gave when the generators were written: profiles and benchmarks of
/// different machines and versions are comparable only while they stay.
class ThreadedGoldenGenerator : public GeneratorOf {};
TEST_P(ThreadedGoldenGenerator, GivesTheSameBytesForever) {
  static const std::map<std::string, std::uint64_t> golden{
      {"band", 0xe0248e56299570bcULL},
      {"dense", 0x55d4c655cd5f7b50ULL},
      {"fem_elasticity_p1", 0x1ecfdfab91ee55b0ULL},
      {"fem_elasticity_p2", 0xa3fa18c99ef2441aULL},
      {"fields", 0xa65c4bd2ea7d1ce7ULL},
      {"image", 0xb9f9115db5749f5eULL},
      {"kronecker", 0x4e05418985a35399ULL},
      {"laplacian27", 0x0aa6634bf07c14cbULL},
      {"laplacian3", 0xa4e5f11ba786b316ULL},
      {"laplacian5", 0x52e787cef4ab7201ULL},
      {"laplacian7", 0x21bc7b8cc647ee45ULL},
      {"laplacian9", 0x75ea2e6f31b226f5ULL},
      {"netlist", 0x3f0f62adf2a7fabfULL},
      {"power_law", 0x9eb418e2086f8de7ULL},
      {"random_general", 0x8b1cf2b60921508eULL},
      {"random_symmetric", 0x1e105238e9e16b1fULL},
      {"spd_surrogate", 0x2f8014812dc45890ULL},
      {"trefethen", 0x5c47ddca9a907795ULL},
  };
  for (const int threads : {1, 2, 3}) {
    EXPECT_EQ(fingerprint(generate(threads)), golden.at(GetParam())) << threads << " threads";
  }
}
INSTANTIATE_TEST_SUITE_P(Any, ThreadedGoldenGenerator,
                         ::testing::ValuesIn(names([](const std::string&) { return true; })),
                         name_of);

class SpdGenerator : public GeneratorOf {};
TEST_P(SpdGenerator, GivesASymmetricMatrixWithACholeskyFactor) {
  const Eigen::SparseMatrix<double> matrix = to_eigen(generate());

  const Eigen::SparseMatrix<double> transposed = matrix.transpose();
  EXPECT_EQ((matrix - transposed).norm(), 0.0);
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(matrix);
  EXPECT_EQ(factor.info(), Eigen::Success);
}
INSTANTIATE_TEST_SUITE_P(Any, SpdGenerator, ::testing::ValuesIn(names([](const std::string& name) {
                           return name != "random_general";
                         })),
                         name_of);

TEST(Laplacian, HasTheStencilsRowLengthsAndSumsToZeroInside) {
  const struct {
    int points;
    std::int64_t nx, ny, nz;
  } grids[] = {{3, 9, 1, 1}, {5, 7, 5, 1}, {9, 7, 5, 1}, {7, 7, 5, 3}, {27, 7, 5, 3}};
  for (const auto& grid : grids) {
    const CsrMatrix<double> matrix = laplacian(grid.points, grid.nx, grid.ny, grid.nz);

    ASSERT_EQ(matrix.rows, grid.nx * grid.ny * grid.nz);
    const std::int64_t inside = grid.nx / 2 + grid.nx * (grid.ny / 2 + grid.ny * (grid.nz / 2));
    EXPECT_EQ(matrix.row_offsets[inside + 1] - matrix.row_offsets[inside], grid.points);
    double sum = 0;
    for (std::int64_t k = matrix.row_offsets[inside]; k < matrix.row_offsets[inside + 1]; ++k) {
      sum += matrix.values[k];
    }
    EXPECT_EQ(sum, 0.0) << grid.points << " points";
    const std::int64_t corner = 1 << (grid.nz > 1 ? 3 : grid.ny > 1 ? 2 : 1);
    const bool box = grid.points == 9 || grid.points == 27;
    EXPECT_EQ(matrix.row_offsets[1], box ? corner : 1 + (grid.points - 1) / 2);
  }
}

TEST(Laplacian, HasTheCountsOfBellAndGarlandsTable3) {
  const struct {
    int points;
    std::int64_t nx, ny, nz;
    std::int64_t nonzeros;
  } printed[] = {{3, 1000000, 1, 1, 2999998},
                 {5, 1000, 1000, 1, 4996000},
                 {7, 100, 100, 100, 6940000},
                 {9, 1000, 1000, 1, 8988004},
                 {27, 100, 100, 100, 26463592}};
  for (const auto& row : printed) {
    const CsrMatrix<double> matrix = laplacian(row.points, row.nx, row.ny, row.nz);

    EXPECT_EQ(matrix.rows, 1000000) << row.points << " points";
    EXPECT_EQ(matrix.nonzeros(), row.nonzeros) << row.points << " points";
  }
}

TEST(Laplacian, RefusesStencilsAndGridsThatDoNotFit) {
  EXPECT_THROW(laplacian(13, 4, 4, 4), Error);
  EXPECT_THROW(laplacian(5, 4, 4, 2), Error);
  EXPECT_THROW(laplacian(3, 4, 2), Error);
  EXPECT_THROW(laplacian(7, 0, 4, 4), Error);
  EXPECT_THROW(laplacian(27, 1 << 20, 1 << 20, 1 << 20), Error);
}

TEST(Arrow, HasFullRowsAndColumnsBehindABand) {
  const CsrMatrix<double> matrix = arrow(50, 3, 2);
  check_csr(matrix.view());
  const MatrixFeatures features = compute_features(matrix.view());
  EXPECT_TRUE(features.symmetric);
  EXPECT_EQ(features.missing_diagonal, 0);
  EXPECT_EQ(features.row_length.max, 50);
  EXPECT_EQ(features.row_length.min, 2 + 3);
  // A tridiagonal matrix of 47 rows, and what has a full row or column.
  EXPECT_EQ(features.nonzeros, (3 * 47 - 2) + 2 * 3 * 47 + 9);
  EXPECT_EQ(arrow(4, 4).nonzeros(), 16);
  EXPECT_THROW(arrow(4, 5), Error);
  EXPECT_THROW(arrow(4, 0), Error);
}

TEST(Trefethen, HasTheCollectionsCountsAndEntries) {
  const CsrMatrix<double> matrix = trefethen(20);

  EXPECT_EQ(matrix.nonzeros(), 158);
  EXPECT_EQ(trefethen(200).nonzeros(), 2890);
  EXPECT_EQ(trefethen(2000).nonzeros(), 41906);
  const Eigen::MatrixXd full = to_eigen(matrix);
  EXPECT_EQ(full(0, 0), 2);
  EXPECT_EQ(full(19, 19), 71);
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 20; ++j) {
      const int distance = std::abs(i - j);
      const bool one = distance > 0 && (distance & (distance - 1)) == 0;
      if (i != j) {
        EXPECT_EQ(full(i, j), one ? 1 : 0) << i << ", " << j;
      }
    }
  }
}

/// Row lengths of real meshes, for comparison: `fem_elastic3d_p1` of the matrices that validate has
/// 42.2 on average, standard deviation 9.5, 19 to 74; a P2 mesh (three times those of
/// `fem_poisson3d_p2`) 81, 44, 30 to 330.
TEST(FemElasticity, HasTheRowLengthsOfUnstructuredMeshes) {
  const Statistics p1 = row_statistics(fem_elasticity(1, 20, 1));
  const Statistics p2 = row_statistics(fem_elasticity(2, 10, 1));

  EXPECT_GT(p1.mean, 39);
  EXPECT_LT(p1.mean, 45);
  EXPECT_GT(p1.stddev, 7);
  EXPECT_LT(p1.stddev, 13);
  EXPECT_GT(p1.max, 60);
  EXPECT_GT(p2.mean, 70);
  EXPECT_LT(p2.mean, 88);
  EXPECT_GT(p2.max, 200);
}

TEST(FemElasticity, ConsistsOfDenseBlocksOfThreeByThree) {
  const CsrMatrix<double> matrix = fem_elasticity(2, 3, 5);

  for (std::int64_t row = 0; row < matrix.rows; row += 3) {
    const std::int64_t first = matrix.row_offsets[row];
    const std::int64_t length = matrix.row_offsets[row + 1] - first;
    ASSERT_EQ(length % 3, 0);
    for (std::int64_t i = 1; i < 3; ++i) {
      ASSERT_EQ(matrix.row_offsets[row + i + 1] - matrix.row_offsets[row + i], length);
    }
    for (std::int64_t k = 0; k < length; k += 3) {
      ASSERT_EQ(matrix.column_indices[first + k] % 3, 0);
      for (std::int64_t i = 0; i < 3; ++i) {
        for (std::int64_t j = 0; j < 3; ++j) {
          ASSERT_EQ(matrix.column_indices[matrix.row_offsets[row + i] + k + j],
                    matrix.column_indices[first + k] + j);
        }
      }
    }
  }
}

/// A mesh of tetrahedra that fills the box without gaps has, by Euler's formula V - E + F - T = 1,
/// as many edges as this.
TEST(FemElasticity, MeshFillsTheBoxWithoutGaps) {
  const std::int64_t cells = 6;
  const CsrMatrix<double> matrix = fem_elasticity(1, cells, 8);

  const std::int64_t vertices = (cells + 1) * (cells + 1) * (cells + 1);
  const std::int64_t tetrahedra = 6 * cells * cells * cells;
  const std::int64_t outer_triangles = 6 * 2 * cells * cells;
  const std::int64_t triangles = (4 * tetrahedra + outer_triangles) / 2;
  const std::int64_t edges = vertices + triangles - tetrahedra - 1;
  EXPECT_EQ(matrix.nonzeros(), 9 * (vertices + 2 * edges));
}

TEST(FemElasticity, RefusesOrdersAndSizesThatItDoesNotKnow) {
  EXPECT_THROW(fem_elasticity(3, 4, 1), Error);
  EXPECT_THROW(fem_elasticity(1, 0, 1), Error);
  EXPECT_THROW(fem_elasticity(1, 1000, 1), Error);
}

TEST(RandomMatrix, HasTheRowLengthsAskedFor) {
  for (const bool symmetric : {false, true}) {
    RandomMatrixSpec spec = random_spec(symmetric);
    spec.row_similarity = 0;
    spec.mean_run_length = 1;
    spec.rows = 20000;

    const Statistics lengths = row_statistics(random_matrix(spec));

    EXPECT_NEAR(lengths.mean, 20, 0.3) << "symmetric: " << symmetric;
    EXPECT_NEAR(lengths.stddev, 5, 0.3) << "symmetric: " << symmetric;
  }
}

TEST(RandomMatrix, StaysWithinItsBandwidthAndUsesIt) {
  for (const bool symmetric : {false, true}) {
    const CsrMatrix<double> matrix = random_matrix(random_spec(symmetric));

    std::int64_t bandwidth = 0;
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
        bandwidth = std::max(bandwidth, std::abs(matrix.column_indices[k] - row));
      }
    }
    EXPECT_LE(bandwidth, 359);
    EXPECT_GT(bandwidth, 350);
  }
}

/// Shares of the entries whose column is in the row above, and whose left neighbour is an entry.
std::pair<double, double> similarity_and_clustering(const CsrMatrix<double>& matrix) {
  std::int64_t above = 0;
  std::int64_t beside = 0;
  for (std::int64_t row = 1; row < matrix.rows; ++row) {
    const auto begin = matrix.column_indices.begin();
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      above += std::binary_search(begin + matrix.row_offsets[row - 1],
                                  begin + matrix.row_offsets[row], matrix.column_indices[k]);
      beside += k > matrix.row_offsets[row] &&
                matrix.column_indices[k - 1] + 1 == matrix.column_indices[k];
    }
  }
  const auto nonzeros = static_cast<double>(matrix.nonzeros());
  return {static_cast<double>(above) / nonzeros, static_cast<double>(beside) / nonzeros};
}

TEST(RandomMatrix, RepeatsColumnsOfTheRowAboveAsOftenAsAskedFor) {
  RandomMatrixSpec spec = random_spec(false);
  spec.stddev_row_length = 0;
  spec.mean_run_length = 1;
  for (const double similarity : {0.0, 0.5, 0.9}) {
    spec.row_similarity = similarity;

    // Columns drawn anew hit one of the row above by chance: 20 of some 600.
    EXPECT_NEAR(similarity_and_clustering(random_matrix(spec)).first, similarity, 0.05);
  }
}

TEST(RandomMatrix, HasRunsOfTheLengthAskedFor) {
  RandomMatrixSpec spec = random_spec(false);
  spec.row_similarity = 0;
  for (const double run : {1.0, 2.0, 4.0}) {
    spec.mean_run_length = run;

    // All entries of a run but its first have a left neighbour.
    EXPECT_NEAR(similarity_and_clustering(random_matrix(spec)).second, 1 - 1 / run, 0.07);
  }
}

TEST(RandomMatrix, FillsRowsUpToTheBandwidth) {
  RandomMatrixSpec spec;
  spec.rows = 200;
  spec.mean_row_length = 41;
  spec.bandwidth_fraction = 0.101;
  spec.symmetric = false;

  const Statistics lengths = row_statistics(random_matrix(spec));

  EXPECT_EQ(lengths.max, 41);
  EXPECT_EQ(lengths.min, 21);
}

TEST(RandomMatrix, RefusesNumbersOutOfRange) {
  const auto refuses = [](auto change) {
    RandomMatrixSpec spec = random_spec(false);
    change(spec);
    EXPECT_THROW(random_matrix(spec), Error);
  };
  refuses([](RandomMatrixSpec& spec) { spec.rows = 0; });
  refuses([](RandomMatrixSpec& spec) { spec.mean_row_length = 0.5; });
  refuses([](RandomMatrixSpec& spec) { spec.mean_row_length = 1201; });
  refuses([](RandomMatrixSpec& spec) { spec.stddev_row_length = -1; });
  refuses([](RandomMatrixSpec& spec) { spec.stddev_row_length = std::nan(""); });
  refuses([](RandomMatrixSpec& spec) { spec.bandwidth_fraction = 0; });
  refuses([](RandomMatrixSpec& spec) { spec.row_similarity = 1; });
  refuses([](RandomMatrixSpec& spec) { spec.mean_run_length = 0.5; });
}

TEST(PowerLaw, HasTheMeanAskedForAndRowsWithThousandsOfEntries) {
  const Statistics lengths = row_statistics(power_law(100000, 12, 2.2, 3));

  EXPECT_NEAR(lengths.mean, 12, 0.5);
  EXPECT_GT(lengths.max, 2000);
  EXPECT_LT(lengths.min, 6);
}

TEST(PowerLaw, RefusesNumbersOutOfRange) {
  EXPECT_THROW(power_law(0, 12, 2.2, 1), Error);
  EXPECT_THROW(power_law(100, 0.5, 2.2, 1), Error);
  EXPECT_THROW(power_law(100, 12, 1, 1), Error);
}

TEST(SpdSurrogate, MakesThePatternSymmetricWithRowLengthsOnTheDiagonal) {
  CsrMatrix<double> pattern;
  pattern.rows = 3;
  pattern.columns = 3;
  pattern.row_offsets = {0, 2, 2, 3};
  pattern.column_indices = {1, 2, 2};
  pattern.values = {7, -5, 3};

  const Eigen::MatrixXd surrogate = to_eigen(spd_surrogate(pattern));

  const Eigen::Matrix3d expected{{3, -1, -1}, {-1, 2, 0}, {-1, 0, 2}};
  EXPECT_EQ(surrogate, expected);
}

TEST(SpdSurrogate, RefusesAMatrixThatIsNotSquare) {
  CsrMatrix<double> pattern;
  pattern.rows = 1;
  pattern.columns = 2;
  pattern.row_offsets = {0, 0};

  EXPECT_THROW(spd_surrogate(pattern), Error);
}

TEST(Components, TurnEntriesIntoDenseBlocks) {
  const CsrMatrix<double> matrix = laplacian(5, 4, 3);

  const CsrMatrix<double> four = with_components(matrix, 4);

  check_csr(four.view());
  EXPECT_EQ(four.rows, 48);
  EXPECT_EQ(compute_features(four.view(), 1).block(4).block_density, 1);
  EXPECT_EQ(Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>(to_eigen(four)).info(),
            Eigen::Success);
}

}  // namespace
}  // namespace sparsecast
