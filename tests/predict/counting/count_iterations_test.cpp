#include "predict/counting/count_iterations.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/engine/iteration_counter.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast {
namespace {

constexpr std::array both{Precision::f64, Precision::f32};
constexpr std::array one{Precision::f64};

/// A grid's Laplacian of 400 unknowns, b of ones.
class CountIterations : public ::testing::Test {
 protected:
  CountIterations() : matrix_(laplacian(5, 20, 20)), backend_(1, 1, {}) {
    rules_.tolerance = 1e-4;
    solvers_.ours = {"fused"};
    for (const char* name : {"bicgstab", "gmres"}) solvers_.own.push_back({shipped_method(name)});
  }

  std::optional<std::vector<IterationCount>> count(std::span<const Precision> precisions,
                                                   const CountMonitor& monitor = {}) {
    return count_iterations(backend_, matrix_.view(), std::vector<double>(400, 1), solvers_,
                            precisions, rules_, monitor);
  }

  CsrMatrix<double> matrix_;
  CpuBackend backend_;
  CountRules rules_;
  SolversToCount solvers_;
};

TEST_F(CountIterations, AreOfEachSolverInEachPrecision) {
  const auto counts = count(both);
  ASSERT_TRUE(counts && counts->size() == 6u);
  std::vector<std::string> names;
  for (const IterationCount& each : *counts) {
    names.push_back(each.solver + " " + std::string(to_string(each.precision)));
    EXPECT_TRUE(each.solves()) << names.back();
  }
  EXPECT_EQ(names, (std::vector<std::string>{"fused f64", "bicgstab f64", "gmres f64", "fused f32",
                                             "bicgstab f32", "gmres f32"}));
  IterationCounter counter(backend_, matrix_.view(), std::vector<double>(400, 1), "ones");
  CountedRun run;
  run.tolerance = 1e-4;
  const IterationCount expected = counter.count(run).count;
  EXPECT_EQ(to_json(counts->front()).text(), to_json(expected).text());
}

TEST_F(CountIterations, AreCountedOnceOfOurs) {
  solvers_.ours = {"fused", "algorithm1"};
  solvers_.own.clear();
  const auto counts = count(one);
  ASSERT_TRUE(counts && counts->size() == 2u);
  EXPECT_EQ(counts->back().solver, "algorithm1");
  EXPECT_EQ(counts->front().iterations, counts->back().iterations);
}

TEST_F(CountIterations, SayHowFarTheyAre) {
  CountMonitor monitor;
  std::set<std::string> seen;
  double before = 0;
  monitor.proceed = [&](const CountProgress& so_far) {
    seen.insert(so_far.solver);
    EXPECT_GE(so_far.done, before);
    EXPECT_LE(so_far.done, 1);
    before = so_far.done;
    return true;
  };
  ASSERT_TRUE(count(one, monitor));
  EXPECT_EQ(seen, (std::set<std::string>{"bicgstab", "fused", "gmres"}));
}

TEST_F(CountIterations, EndWhereTheyAreToldTo) {
  CountMonitor monitor;
  int asked = 0;
  monitor.proceed = [&](const CountProgress& so_far) {
    EXPECT_EQ(so_far.solver, "fused");
    ++asked;
    return false;
  };
  EXPECT_FALSE(count(both, monitor));
  EXPECT_EQ(asked, 1);
}

TEST_F(CountIterations, LeaveOutOneOfSeveralThatCannotRun) {
  solvers_.own.front().settings["no_such_parameter"] = 1;
  CountMonitor monitor;
  std::vector<std::string> reasons;
  monitor.left_out = [&](const std::string& why) { reasons.push_back(why); };
  const auto counts = count(one, monitor);
  ASSERT_TRUE(counts && counts->size() == 2u);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_NE(reasons.front().find("no_such_parameter"), std::string::npos) << reasons.front();
  solvers_.ours.clear();
  solvers_.own.resize(1);
  EXPECT_NE(refusal_of([&] { count(one, monitor); }).find("no_such_parameter"), std::string::npos);
  EXPECT_EQ(reasons.size(), 1u);
}

TEST_F(CountIterations, AreFoundInFeaturesByAllThatNamesThem) {
  ForecastFeatures features;
  features.source = "grid.features.json";
  features.counts = *count(one);
  const std::vector<IterationCount> found =
      find_counts(features, solvers_, one, rules_, {}, "count them");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found.back().solver, "gmres");
  const auto refusal = [&](std::span<const Precision> precisions) {
    return refusal_of([&] { find_counts(features, solvers_, precisions, rules_, {}, "count it"); });
  };
  EXPECT_EQ(refusal(both),
            "grid.features.json: has no iterations of fused to 0.0001 in f32 for --rhs ones with "
            "these settings; count them where the matrix is: count it");
  rules_.right_hand_side = "random";
  EXPECT_NE(refusal(one), "accepted");
  rules_.right_hand_side = "ones";
  rules_.tolerance = 1e-5;
  EXPECT_NE(refusal(one), "accepted");
  rules_.tolerance = 1e-4;
  solvers_.own.back().settings["m"] = 7;
  EXPECT_NE(refusal(one), "accepted");
}

TEST(CountablePrecisions, AreThoseThatXCanBeSoExactIn) {
  EXPECT_EQ(countable_precisions(1e-4), (std::vector{Precision::f64, Precision::f32}));
  EXPECT_EQ(countable_precisions(1e-8), std::vector{Precision::f64});
  const std::array profiles{read_profile("nvidia-h200")};
  EXPECT_EQ(comparable_precisions(1e-4, profiles, nullptr),
            (std::vector{Precision::f64, Precision::f32}));
  ForecastFeatures features;
  features.counts.resize(1);
  features.counts.front().precision = Precision::f32;
  EXPECT_EQ(comparable_precisions(1e-4, profiles, &features), std::vector{Precision::f32});
  EXPECT_TRUE(comparable_precisions(1e-8, profiles, &features).empty());
}

TEST(CountableTolerances, LieBetweenZeroAndOne) {
  EXPECT_TRUE(is_countable(1e-8));
  for (const double tolerance : {0.0, 1.0, -1e-8, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(is_countable(tolerance)) << tolerance;
  }
}

TEST(CountableProfiles, HaveATrafficModel) {
  const std::array profiles{read_profile("nvidia-h200"), read_profile("gtx280")};
  ASSERT_NE(first_uncountable(profiles), nullptr);
  EXPECT_EQ(first_uncountable(profiles)->name, "gtx280");
  EXPECT_EQ(first_uncountable(std::span(profiles).first(1)), nullptr);
}

}  // namespace
}  // namespace sparsecast
