#include "core/matrix/inverse_blocks.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>

#include "core/random_csr.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// Entries of a dense matrix, all of them stored.
template <class T>
CsrMatrix<T> stored(const Eigen::MatrixXd& dense) {
  CsrMatrix<T> matrix;
  matrix.rows = matrix.columns = dense.rows();
  matrix.row_offsets.push_back(0);
  for (Eigen::Index i = 0; i < dense.rows(); ++i) {
    for (Eigen::Index j = 0; j < dense.cols(); ++j) {
      matrix.column_indices.push_back(static_cast<std::int32_t>(j));
      matrix.values.push_back(static_cast<T>(dense(i, j)));
    }
    matrix.row_offsets.push_back((i + 1) * dense.cols());
  }
  return matrix;
}

Eigen::MatrixXd random_dense(Eigen::Index size, unsigned seed) {
  std::mt19937 random(seed);
  Eigen::MatrixXd dense(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) dense(i, j) = random_value(random);
    dense(i, i) *= 3;
  }
  return dense;
}

template <class T>
class InverseBlocks : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(InverseBlocks, Precisions);

TYPED_TEST(InverseBlocks, AreThoseOfEigenOfAnySizeAlsoWhereRowsAreLeftAndBlocksAreCut) {
  using T = TypeParam;
  const Eigen::Index rows = 29;
  for (int size = 1; size <= 8; ++size) {
    for (const bool is_cut : {false, true}) {
      const unsigned seed = 10u * static_cast<unsigned>(size);
      SCOPED_TRACE("blocks of " + std::to_string(size) + ", seed " + std::to_string(seed));
      const CsrMatrix<T> matrix = stored<T>(random_dense(rows, seed));
      const std::array<std::int64_t, 3> cuts{10, 11, 29};
      const auto inverse = inverse_blocks(
          matrix.view(), size,
          is_cut ? std::span<const std::int64_t>(cuts) : std::span<const std::int64_t>());
      ASSERT_EQ(inverse.size(), static_cast<std::size_t>(size));
      for (Eigen::Index first = 0; first < rows; first += size) {
        const Eigen::Index end = std::min(rows, first + size);
        Eigen::Index begin = first;
        while (begin < end) {
          Eigen::Index part_end = end;
          for (const std::int64_t cut : cuts) {
            if (is_cut && cut > begin && cut < part_end) part_end = cut;
          }
          Eigen::MatrixXd block(part_end - begin, part_end - begin);
          for (Eigen::Index i = 0; i < block.rows(); ++i) {
            for (Eigen::Index j = 0; j < block.cols(); ++j) {
              block(i, j) = matrix.values[(begin + i) * rows + begin + j];
            }
          }
          const Eigen::MatrixXd expected = block.inverse();
          for (Eigen::Index i = begin; i < part_end; ++i) {
            for (int k = 0; k < size; ++k) {
              const Eigen::Index column = first + k;
              const bool is_inside = column >= begin && column < part_end;
              const double value = is_inside ? expected(i - begin, column - begin) : 0;
              EXPECT_NEAR(inverse[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)], value,
                          (sizeof(T) == 4 ? 1e-6 : 1e-13) * expected.cwiseAbs().maxCoeff())
                  << i << ' ' << k;
            }
          }
          begin = part_end;
        }
      }
    }
  }
}

TEST(InverseBlock, NeedsNoPivotOnTheDiagonalAndNoEntriesOfOneScale) {
  Eigen::MatrixXd dense(4, 4);
  dense << 0, 2, 5, 5, 1, 0, 5, 5, 5, 5, 1e-200, 0, 5, 5, 0, 1e200;
  const auto inverse = inverse_blocks(stored<double>(dense).view(), 2);
  EXPECT_EQ(inverse[0], (std::vector<double>{0, 0.5, 1e200, 0}));
  EXPECT_EQ(inverse[1], (std::vector<double>{1, 0, 0, 1e-200}));
}

TEST(InverseBlock, NamesTheFirstBlockThatHasNone) {
  Eigen::MatrixXd dense = random_dense(9, 3);
  const auto refusal = [&](int size) {
    return refusal_of([&] { inverse_blocks(stored<double>(dense).view(), size); });
  };
  EXPECT_EQ(refusal(3), "accepted");
  // A row that is the sum of others, as far as double tells.
  dense.row(5).segment(3, 3) = 0.1 * dense.row(3).segment(3, 3) + 0.3 * dense.row(4).segment(3, 3);
  dense.block(6, 6, 3, 3).setZero();
  EXPECT_EQ(refusal(3),
            "block Jacobi: the 3 x 3 diagonal block of rows 4 to 6 (block 2) is singular; take "
            "another block size or another preconditioner");
  EXPECT_EQ(refusal(1).substr(0, 69),
            "block Jacobi: the 1 x 1 diagonal block of row 7 (block 7) is singular");
  EXPECT_EQ(refusal(0), "diagonal blocks of 0 rows; expected 1 or more");
  dense = random_dense(9, 3);
  dense(4, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(3).find("rows 4 to 6 (block 2)"), std::string::npos) << refusal(3);
  dense = random_dense(9, 3);
  dense(4, 4) = 1e-300;
  const std::string overflow =
      refusal_of([&] { inverse_blocks(stored<double>(1e-310 * dense).view(), 1); });
  EXPECT_NE(overflow.find("has no finite inverse"), std::string::npos) << overflow;
}

}  // namespace
}  // namespace sparsecast
