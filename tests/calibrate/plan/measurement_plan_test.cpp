#include "calibrate/plan/measurement_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "calibrate/measure/measured_schedules.hpp"
#include "calibrate/plan/plan_counts.hpp"

namespace sparsecast {
namespace {

PlanOptions two_threads() {
  PlanOptions options;
  options.threads = 2;
  return options;
}

/// "kernel" or "kernel/layout" of everything measured in a precision.
std::map<std::string, int> counts(const MeasurementPlan& plan, Precision precision) {
  std::map<std::string, int> result;
  for (const Measurement& each : plan.measurements) {
    if (each.precision != precision) continue;
    ++result[each.matrix < 0 ? each.kernel : each.kernel + '/' + to_string(each.layout)];
  }
  return result;
}

TEST(MeasurementPlan, CoversWhatAProfileNeeds) {
  for (const MeasurementPlan& plan : {default_plan(two_threads()), quick_plan(two_threads())}) {
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const auto count = counts(plan, precision);
      for (const char* kernel : {"CG1", "CG2", "CG3", "CG4", "CG5", "Red"}) {
        ASSERT_TRUE(count.contains(kernel)) << plan.name << ' ' << kernel;
        EXPECT_GE(count.at(kernel), 10) << plan.name << ' ' << kernel;
      }
      for (const int block_size : block_sizes) {
        const std::string layout = to_string(block_layout(block_size));
        EXPECT_GE(count.at("SpMV/" + layout), 20) << plan.name << ' ' << layout;
        EXPECT_GE(count.at("Iteration/" + layout), 10) << plan.name << ' ' << layout;
      }
      EXPECT_GE(count.at("Exchange"), 6) << plan.name;
      EXPECT_EQ(count.at("Barrier"), 1) << plan.name;
    }
  }
}

TEST(MeasurementPlan, LoadsOneToEightVectorsWithBothSplitsByDefault) {
  const auto count = counts(default_plan(two_threads()), Precision::f64);
  for (const char* split : {"fixed", "variable"}) {
    for (const char* vectors : {"1", "2", "4", "8"}) {
      EXPECT_TRUE(count.contains(std::string("Load/") + vectors + '/' + split));
    }
  }
  for (const char* mix : {"Mixed/1r1w", "Mixed/2r1w", "Mixed/1r2w"}) {
    EXPECT_TRUE(count.contains(mix)) << mix;
  }
}

TEST(MeasurementPlan, HasEnoughMatricesForQuantilesOfTheInterval) {
  const auto count = counts(default_plan(two_threads()), Precision::f64);
  EXPECT_GE(count.at("Iteration/csr"), 19);
}

TEST(MeasurementPlan, HoldsTheMatricesOfWholeIterationsOut) {
  EXPECT_TRUE(intervals_are_held_out(default_plan(two_threads())));
  EXPECT_TRUE(intervals_are_held_out(quick_plan(two_threads())));
}

TEST(MeasurementPlan, ReachesBeyondTheCache) {
  const PlanOptions options = two_threads();
  double longest = 0;
  for (const Measurement& each : default_plan(options).measurements) {
    if (each.kernel == "CG3" && each.precision == Precision::f64) {
      longest = std::max(longest, static_cast<double>(each.unknowns));
    }
  }
  EXPECT_GT(longest * 3 * 8, 2.0 * static_cast<double>(options.cache_bytes));
}

TEST(MeasurementPlan, MeasuresNothingTwice) {
  for (const MeasurementPlan& plan :
       {default_plan(two_threads()), quick_plan(two_threads()), check_plan(two_threads())}) {
    std::set<std::string> ids;
    for (const Measurement& each : plan.measurements) {
      EXPECT_TRUE(ids.insert(measurement_id(plan, each)).second) << measurement_id(plan, each);
    }
  }
}

TEST(MeasurementPlan, IsTheSameForTheSameSeed) {
  PlanOptions options = two_threads();
  const auto ids = [&options] {
    const MeasurementPlan plan = default_plan(options);
    std::vector<std::string> result;
    for (const Measurement& each : plan.measurements) result.push_back(measurement_id(plan, each));
    return result;
  };
  const auto first = ids();
  EXPECT_EQ(first, ids());
  options.seed = 2;
  EXPECT_NE(first, ids());
}

TEST(MeasurementPlan, UsesMostlyLengthsThatAreMultiplesOf32) {
  int multiples = 0;
  int others = 0;
  for (const Measurement& each : default_plan(two_threads()).measurements) {
    if (each.matrix >= 0 || each.kernel == "Barrier") continue;
    ++(each.unknowns % 32 == 0 ? multiples : others);
  }
  EXPECT_GT(multiples, 3 * others);
  EXPECT_GT(others, 0);
}

TEST(MeasurementPlan, IsLimitedToTheAskedPrecision) {
  PlanOptions options = two_threads();
  options.precisions = {Precision::f32};
  for (const Measurement& each : default_plan(options).measurements) {
    EXPECT_EQ(each.precision, Precision::f32);
  }
}

TEST(MeasurementPlan, HasNoLinksForOneThread) {
  PlanOptions options;
  options.threads = 1;
  for (const Measurement& each : default_plan(options).measurements) EXPECT_EQ(each.devices, 1);
}

TEST(MeasurementPlan, GeneratesMatricesOfAboutTheStatedSize) {
  const MeasurementPlan plan = quick_plan(two_threads());
  for (const MatrixRecipe& recipe : plan.matrices) {
    // Sizes of generators go in steps, which are large for small matrices.
    if (recipe.nonzeros < 20'000 || recipe.nonzeros > 300'000) continue;
    const CsrMatrix<double> matrix = recipe.generate(2);
    EXPECT_EQ(matrix.rows, matrix.columns) << recipe.description;
    const double ratio = static_cast<double>(matrix.nonzeros()) / recipe.nonzeros;
    EXPECT_GT(ratio, 0.3) << recipe.description;
    EXPECT_LT(ratio, 3) << recipe.description;
  }
}

TEST(MeasurementPlan, HasAScheduleForEveryKernel) {
  std::set<std::string> kernels;
  for (const Measurement& each : default_plan(two_threads()).measurements) {
    kernels.insert(each.kernel);
  }
  for (const std::string& kernel : kernels) {
    EXPECT_NO_THROW(check_schedule(schedule_to_measure(kernel, "algorithm1"))) << kernel;
    EXPECT_FALSE(schedule_to_measure(kernel, "algorithm1").iteration.empty()) << kernel;
  }
  EXPECT_THROW(schedule_to_measure("Load/0/fixed"), std::exception);
  EXPECT_THROW(schedule_to_measure("CG9"), std::exception);
}

TEST(MeasurementPlan, OfACpuMeasuresEveryFormatThatMayPay) {
  for (const MeasurementPlan& plan : {default_plan({}), quick_plan({})}) {
    std::map<std::string, int> count = counts_in(plan, Layout{"dia"});
    for (const char* kind : {"SpMV/", "SpMVDot/", "Iteration/fused", "Iteration/algorithm1",
                             "Iteration/fused/held out"}) {
      EXPECT_GE(count[kind], 8) << plan.name << ' ' << kind;
    }
  }
}

}  // namespace
}  // namespace sparsecast
