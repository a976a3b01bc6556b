#include "predict/unfit_solvers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/engine/own_schedule.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast {
namespace {

using Lines = std::vector<std::string>;

std::vector<Solver> solvers(const std::vector<std::string>& names) {
  std::vector<Solver> all;
  for (const std::string& name : names) all.push_back(OwnSchedule{shipped_method(name)}.priced());
  return all;
}

MatrixFeatures symmetric() {
  MatrixFeatures features;
  features.symmetric = true;
  return features;
}

TEST(UnfitSolvers, AreNoneOfAMatrixThatAllCanSolveWith) {
  EXPECT_EQ(unfit_warnings("box.mtx", symmetric(), {}), Lines{});
  EXPECT_EQ(unfit_warnings("box.mtx", symmetric(), solvers({"cg", "bicgstab", "gmres"})), Lines{});
}

TEST(UnfitSolvers, AreThoseThatNeedASymmetricMatrix) {
  const MatrixFeatures general;
  EXPECT_EQ(unfit_warnings("a.mtx", general, solvers({"cg", "gmres", "minres"})),
            Lines{"a.mtx is not symmetric: cg, minres cannot solve with it"});
  EXPECT_EQ(unfit_warnings("a.mtx", general, {}),
            Lines{"a.mtx is not symmetric: conjugate gradients cannot solve with it"});
  EXPECT_EQ(unfit_warnings("a.mtx", general, solvers({"gmres"})), Lines{});
}

TEST(UnfitSolvers, AreThoseThatDivideByWhatIsMissingOnTheDiagonal) {
  MatrixFeatures hollow = symmetric();
  hollow.missing_diagonal = 2;
  hollow.zero_diagonal = 1;
  const std::string start = "a.mtx has no positive diagonal (2 missing, 1 zero): ";
  const std::string end = " cannot solve with it, dividing by its entries";
  EXPECT_EQ(unfit_warnings("a.mtx", hollow, {}), Lines{start + "conjugate gradients" + end});
  EXPECT_EQ(unfit_warnings("a.mtx", hollow, solvers({"cg", "minres", "bicgstab", "gmres"})),
            Lines{start + "cg, bicgstab" + end});
}

TEST(UnfitSolvers, DivideByANegativeDiagonalUnlessTheyNeedAPositiveOne) {
  MatrixFeatures negative = symmetric();
  negative.negative_diagonal = 3;
  EXPECT_EQ(unfit_warnings("a.mtx", negative, solvers({"cg", "bicgstab"})),
            Lines{"a.mtx has no positive diagonal (3 negative): cg cannot solve with it, dividing "
                  "by its entries"});
}

}  // namespace
}  // namespace sparsecast
