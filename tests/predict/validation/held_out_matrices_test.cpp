#include "predict/validation/held_out_matrices.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <set>

#include "calibrate/plan/gpu_plan.hpp"
#include "calibrate/plan/measurement_plan.hpp"
#include "core/analysis/features.hpp"
#include "core/matrix/generate/generators.hpp"
#include "model/working_set.hpp"

namespace sparsecast {
namespace {

Eigen::MatrixXd to_eigen(const CsrMatrix<double>& matrix) {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(matrix.rows, matrix.columns);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      dense(row, matrix.column_indices[k]) = matrix.values[k];
    }
  }
  return dense;
}

bool is_positive_definite(const Eigen::MatrixXd& matrix) {
  return matrix.isApprox(matrix.transpose(), 0) &&
         Eigen::LLT<Eigen::MatrixXd>(matrix).info() == Eigen::Success;
}

TEST(HeldOutMatrices, AreManyInEveryStratum) {
  const auto sources = held_out_matrices();

  std::set<std::string> names;
  std::array<int, 4> counts{};
  double largest = 0;
  for (const ValidationSource& source : sources) {
    EXPECT_TRUE(names.insert(source.name).second) << source.name;
    EXPECT_TRUE(source.generated);
    largest = std::max(largest, source.nonzeros);
    // Values and columns, and five vectors of from 3 to 80 nonzeros an unknown.
    const auto strata = working_set_strata();
    for (std::size_t i = 0; i < strata.size(); ++i) {
      if (13 * source.nonzeros >= strata[i].bytes_below) continue;
      ++counts[i];
      break;
    }
  }
  EXPECT_GE(sources.size(), 180u);
  for (const int count : counts) EXPECT_GE(count, 30);
  EXPECT_GT(largest, 4.8e8);
  EXPECT_LE(largest, 5e8);
}

TEST(HeldOutMatrices, ForSeveralGpusAreOftenLarge) {
  const auto sources = held_out_matrices(5e8, true);

  std::set<std::string> names;
  std::ptrdiff_t large = 0;
  for (const ValidationSource& source : sources) {
    EXPECT_TRUE(names.insert(source.name).second) << source.name;
    large += source.nonzeros > 1.2e7 ? 1 : 0;
  }
  EXPECT_GE(sources.size(), 150u);
  EXPECT_GE(2 * large, std::ssize(sources));
}

TEST(HeldOutMatrices, OfAnotherSeedAreOthers) {
  constexpr double most = 3e4;
  std::set<std::string> first;
  for (const ValidationSource& source : held_out_matrices(most)) {
    first.insert(pattern_key(source.load(1).matrix.view()));
  }
  const auto others = held_out_matrices(most, false, 2);
  int same = 0;
  for (const ValidationSource& source : others) {
    if (first.contains(pattern_key(source.load(1).matrix.view()))) ++same;
  }
  EXPECT_GE(others.size(), 20u);
  // The smallest finite-element meshes differ in nothing but their values.
  EXPECT_LE(same, 2);
  EXPECT_NEAR(static_cast<double>(held_out_matrices(5e8, false, 2).size()),
              static_cast<double>(held_out_matrices().size()), 1);
}

TEST(HeldOutMatrices, AreThoseThatFitOnRequest) {
  for (const ValidationSource& source : held_out_matrices(1e5)) {
    EXPECT_LE(source.nonzeros, 1e5);
  }
}

TEST(HeldOutMatrices, HaveAboutTheNonzerosThatTheyState) {
  for (const ValidationSource& source : held_out_matrices(1e5)) {
    SCOPED_TRACE(source.name);
    const ValidationMatrix made = source.load(1);
    EXPECT_EQ(made.name, source.name);
    const auto nonzeros = static_cast<double>(made.matrix.nonzeros());
    EXPECT_LT(nonzeros, 2 * source.nonzeros + 600);
    EXPECT_GT(nonzeros, source.nonzeros / 5 - 300);
  }
}

TEST(HeldOutMatrices, AreInNoCalibration) {
  constexpr double most = 3e4;  // of those the patterns are compared
  std::set<std::string> held_out;
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const bool for_several : {false, true}) {
      for (const ValidationSource& source : held_out_matrices(most, for_several, seed)) {
        held_out.insert(pattern_key(source.load(1).matrix.view()));
      }
    }
  }
  const PlanOptions options;
  for (const MeasurementPlan& plan : {default_plan(options), quick_plan(options),
                                      gpu_default_plan(options), gpu_quick_plan(options)}) {
    for (const MatrixRecipe& recipe : plan.matrices) {
      if (recipe.nonzeros > most) continue;
      EXPECT_FALSE(held_out.contains(pattern_key(recipe.generate(1).view()))) << recipe.description;
    }
  }
}

TEST(HeldOutMatrices, CanBeSolved) {
  int tried = 0;
  for (const ValidationSource& source : held_out_matrices(5e3)) {
    const ValidationMatrix made = source.load(1);
    if (made.matrix.rows > 600) continue;
    EXPECT_TRUE(is_positive_definite(to_eigen(made.matrix))) << source.name;
    ++tried;
  }
  EXPECT_GE(tried, 8);
}

TEST(Holes, TakeUnknownsOutOfADomain) {
  const CsrMatrix<double> matrix = laplacian(7, 6, 5, 7);

  const CsrMatrix<double> holed = with_holes(matrix, 0.4, 3);

  check_csr(holed.view());
  EXPECT_LT(holed.rows, 0.75 * 210);
  EXPECT_GT(holed.rows, 0.45 * 210);
  EXPECT_TRUE(is_positive_definite(to_eigen(holed)));
}

TEST(Holes, LeaveOneUnknown) {
  EXPECT_EQ(with_holes(laplacian(3, 2), 0.999, 1).rows, 1);
}

}  // namespace
}  // namespace sparsecast
