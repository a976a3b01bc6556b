#include "predict/validation/unrelated_matrices.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "model/working_set.hpp"

namespace sparsecast {
namespace {

std::size_t stratum_of(const ValidationSource& source) {
  const auto strata = working_set_strata();
  std::size_t stratum = 0;
  // Values and columns, and vectors.
  while (13 * source.nonzeros >= strata[stratum].bytes_below) ++stratum;
  return stratum;
}

/// A source's name without its numbers.
std::string family_of(const ValidationSource& source) {
  std::string family;
  for (const char c : source.name) {
    if (c == ' ') {
      if (!family.ends_with("nested-dissection") && !family.ends_with("hubs-first")) break;
    }
    family += c;
  }
  return family;
}

bool has_cholesky_factor(const CsrMatrix<double>& matrix) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      entries.emplace_back(static_cast<int>(row), matrix.column_indices[k], matrix.values[k]);
    }
  }
  Eigen::SparseMatrix<double> eigen(matrix.rows, matrix.columns);
  eigen.setFromTriplets(entries.begin(), entries.end());
  return Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>(eigen).info() == Eigen::Success;
}

TEST(UnrelatedMatrices, AreManyInEveryStratum) {
  std::set<std::string> names;
  std::array<int, 4> counts{};
  double largest = 0;
  for (const ValidationSource& source : unrelated_matrices()) {
    EXPECT_TRUE(names.insert(source.name).second) << source.name;
    EXPECT_TRUE(source.generated);
    largest = std::max(largest, source.nonzeros);
    ++counts[stratum_of(source)];
  }
  EXPECT_GE(names.size(), 110u);
  for (const int count : counts) EXPECT_GE(count, 20);
  EXPECT_EQ(largest, 1e8);
}

TEST(UnrelatedMatrices, CoverFamiliesAndStrataFromTheStart) {
  const auto sources = unrelated_matrices();
  std::set<std::string> all;
  for (const ValidationSource& source : sources) all.insert(family_of(source));
  EXPECT_GE(all.size(), 8u);

  std::set<std::string> found;
  std::set<std::size_t> strata;
  for (std::size_t i = 0; i < sources.size() / 6; ++i) {
    found.insert(family_of(sources[i]));
    strata.insert(stratum_of(sources[i]));
  }
  EXPECT_EQ(found, all);
  EXPECT_EQ(strata.size(), 4u);
}

TEST(UnrelatedMatrices, HaveAboutTheNonzerosThatTheyState) {
  std::size_t tried = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const ValidationSource& source : unrelated_matrices(1e5, seed)) {
      SCOPED_TRACE(source.name);
      EXPECT_LE(source.nonzeros, 1e5);
      const ValidationMatrix made = source.load(1);
      EXPECT_EQ(made.name, source.name);
      const auto nonzeros = static_cast<double>(made.matrix.nonzeros());
      EXPECT_LT(nonzeros, 2 * source.nonzeros + 600);
      EXPECT_GT(nonzeros, source.nonzeros / 3 - 300);
      ++tried;
    }
  }
  EXPECT_GE(tried, 60u);
}

TEST(UnrelatedMatrices, OfAnotherSeedAreOthers) {
  std::set<std::string> first;
  for (const ValidationSource& source : unrelated_matrices(3e4)) {
    first.insert(pattern_key(source.load(1).matrix.view()));
  }
  EXPECT_GE(first.size(), 10u);
  for (const ValidationSource& source : unrelated_matrices(3e4, 2)) {
    EXPECT_FALSE(first.contains(pattern_key(source.load(1).matrix.view()))) << source.name;
  }
  EXPECT_EQ(unrelated_matrices(5e8, 2).size(), unrelated_matrices().size());
}

TEST(UnrelatedMatrices, CanBeSolved) {
  int tried = 0;
  for (const ValidationSource& source : unrelated_matrices(2e4)) {
    const ValidationMatrix made = source.load(1);
    const MatrixFeatures features = compute_features(made.matrix.view());
    EXPECT_TRUE(features.symmetric) << source.name;
    EXPECT_TRUE(has_cholesky_factor(made.matrix)) << source.name;
    ++tried;
  }
  EXPECT_GE(tried, 8);
}

}  // namespace
}  // namespace sparsecast
