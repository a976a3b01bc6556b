#include "core/matrix/renumber.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/analysis/features.hpp"
#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/narrow_offsets.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

bool is_permutation_of_all(Permutation permutation) {
  std::sort(permutation.begin(), permutation.end());
  Permutation all(permutation.size());
  std::iota(all.begin(), all.end(), 0);
  return permutation == all;
}

TEST(IdentityPermutation, LeavesEveryRowWhereItIs) {
  EXPECT_EQ(identity_permutation(4), (Permutation{0, 1, 2, 3}));
  EXPECT_TRUE(identity_permutation(0).empty());
  EXPECT_THROW(identity_permutation(-1), Error);
}

TEST(RandomPermutation, HoldsEachNumberOnceAndFollowsItsSeed) {
  const Permutation permutation = random_permutation(1000, 3);

  EXPECT_TRUE(is_permutation_of_all(permutation));
  EXPECT_EQ(permutation, random_permutation(1000, 3));
  EXPECT_NE(permutation, random_permutation(1000, 4));
}

/// So that the same matrix is renumbered alike on every machine.
TEST(RandomPermutation, IsTheSameForever) {
  EXPECT_EQ(random_permutation(8, 1), (Permutation{6, 1, 5, 0, 4, 7, 2, 3}));
}

TEST(RandomPermutation, PutsEveryNumberAnywhere) {
  // Of 6000 permutations of 3 each of the 6 orders is about 1000 times there.
  std::map<Permutation, int> times;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) ++times[random_permutation(3, seed)];

  EXPECT_EQ(times.size(), 6U);
  for (const auto& [order, count] : times) EXPECT_NEAR(count, 1000, 150);
}

TEST(ThreadedRenumber, MovesEveryEntryToItsPlace) {
  const CsrMatrix<double> matrix = random_csr<double>(900, 900, 9, 21);
  const Permutation permutation = random_permutation(900, 5);
  std::map<std::pair<std::int64_t, std::int64_t>, double> old_values;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      old_values[{row, matrix.column_indices[k]}] = matrix.values[k];
    }
  }

  const CsrMatrix<double> renumbered = renumber<double>(matrix, permutation, 3);

  ASSERT_EQ(renumbered.nonzeros(), matrix.nonzeros());
  check_csr<double>(renumbered);
  for (std::int64_t row = 0; row < renumbered.rows; ++row) {
    for (std::int64_t k = renumbered.row_offsets[row]; k < renumbered.row_offsets[row + 1]; ++k) {
      const auto old =
          old_values.find({permutation[row], permutation[renumbered.column_indices[k]]});
      ASSERT_NE(old, old_values.end());
      EXPECT_EQ(renumbered.values[k], old->second);
    }
  }
}

TEST(Renumber, IsTheSameForOffsetsOf32Bits) {
  const CsrMatrix<double> matrix = random_csr<double>(500, 500, 6, 22);
  const NarrowOffsets<double> narrow(matrix);
  for (const Renumbering how : {Renumbering::random, Renumbering::rcm, Renumbering::metis}) {
    const Permutation permutation = make_permutation(how, matrix, 3);
    EXPECT_EQ(make_permutation(how, narrow.view(), 3), permutation) << to_string(how);
    const CsrMatrix<double> expected = renumber<double>(matrix, permutation);
    const CsrMatrix<double> found = renumber<double>(narrow.view(), permutation);
    EXPECT_EQ(found.row_offsets, expected.row_offsets);
    EXPECT_EQ(found.column_indices, expected.column_indices);
    EXPECT_EQ(found.values, expected.values);
  }
}

TEST(Renumber, RefusesAPermutationThatIsNone) {
  const CsrMatrix<double> matrix = laplacian(3, 3);
  EXPECT_THROW(renumber<double>(matrix, Permutation{0, 1}), Error);
  EXPECT_THROW(renumber<double>(matrix, Permutation{0, 1, 1}), Error);
  EXPECT_THROW(renumber<double>(matrix, Permutation{0, 1, 3}), Error);
  EXPECT_THROW(renumber<double>(matrix, Permutation{0, 1, -1}), Error);
}

TEST(Renumber, RefusesAMatrixThatIsNotSquare) {
  const CsrMatrix<double> matrix = random_csr<double>(4, 5, 2, 1);

  EXPECT_THROW(renumber<double>(matrix, Permutation{0, 1, 2, 3}), Error);
}

}  // namespace
}  // namespace sparsecast
