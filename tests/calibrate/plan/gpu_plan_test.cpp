#include "calibrate/plan/gpu_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "calibrate/measure/measured_schedules.hpp"
#include "calibrate/plan/plan_counts.hpp"
#include "core/analysis/features.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

/// "kernel/schedule/launch" of everything measured in a precision.
std::map<std::string, int> counts(const MeasurementPlan& plan, Precision precision) {
  std::map<std::string, int> result;
  for (const Measurement& each : plan.measurements) {
    if (each.precision != precision) continue;
    ++result[each.kernel + '/' + each.schedule + '/' + std::string(to_string(*each.launch))];
  }
  return result;
}

TEST(GpuPlan, MeasuresEveryScheduleInItsLaunchModes) {
  for (const MeasurementPlan& plan : {gpu_default_plan({}), gpu_quick_plan({})}) {
    for (const Precision precision : {Precision::f32, Precision::f64}) {
      const auto count = counts(plan, precision);
      for (const char* kind :
           {"Iteration/algorithm1/host", "Iteration/algorithm1/plain", "Iteration/algorithm1/graph",
            "Iteration/fused/plain", "Iteration/fused/graph", "Iteration/fused/persistent",
            "Iteration/vendor/host", "Iteration/vendor/graph"}) {
        ASSERT_TRUE(count.contains(kind)) << plan.name << ' ' << kind;
        EXPECT_GE(count.at(kind), 8) << plan.name << ' ' << kind;
      }
    }
  }
}

TEST(GpuPlan, EndsWithPreparationsOfPersistentKernelsThenUploads) {
  for (const MeasurementPlan& plan : {gpu_default_plan({}), gpu_quick_plan({})}) {
    const auto is_of = [](const char* kernel) {
      return [kernel](const Measurement& each) { return each.kernel == kernel; };
    };
    const auto most_nonzeros = [&](auto begin, auto end) {
      double most = 0;
      for (auto each = begin; each != end; ++each) {
        most = std::max(most, plan.matrices.at(static_cast<std::size_t>(each->matrix)).nonzeros);
      }
      return most;
    };
    const auto end = plan.measurements.end();
    const auto first = std::ranges::find_if(plan.measurements, is_of("Convert"));
    const auto uploads = std::find_if(first, end, is_of("Upload"));
    EXPECT_GE(uploads - first, 16) << plan.name;
    EXPECT_TRUE(std::all_of(first, uploads, is_of("Convert"))) << plan.name;
    EXPECT_TRUE(std::all_of(first, uploads, [](const Measurement& each) {
      return each.launch == LaunchMode::persistent;
    })) << plan.name;
    EXPECT_GE(most_nonzeros(first, uploads), 5e5) << plan.name;
    EXPECT_GE(end - uploads, 16) << plan.name;
    EXPECT_TRUE(std::all_of(uploads, end, is_of("Upload"))) << plan.name;
    EXPECT_GE(most_nonzeros(uploads, end), 5e6) << plan.name;
  }
}

TEST(GpuPlan, MeasuresKernelsForAllIterationsWhereTheyAreRecommended) {
  const MeasurementPlan plan = gpu_default_plan({});
  int small = 0;
  for (const Measurement& each : plan.measurements) {
    if (each.launch != LaunchMode::persistent || each.kernel != "Iteration") continue;
    if (each.layout != Layout{} || each.held_out) continue;
    small += plan.matrices.at(static_cast<std::size_t>(each.matrix)).nonzeros < 4e6 ? 1 : 0;
  }
  EXPECT_GT(small, 250);
}

TEST(GpuPlan, IsCutToLaunchModesAndLayouts) {
  const MeasurementPlan whole = gpu_default_plan({});
  const auto count = [&](const auto& is_of) {
    return static_cast<std::ptrdiff_t>(std::ranges::count_if(whole.measurements, is_of));
  };
  MeasurementPlan persistent = whole;
  cut_to(persistent, {{}, {LaunchMode::persistent}});
  EXPECT_EQ(std::ssize(persistent.measurements),
            count([](const Measurement& each) { return each.launch == LaunchMode::persistent; }));
  EXPECT_GT(persistent.measurements.size(), 400U);
  const Layout sell = parse_layout("sell32");
  MeasurementPlan formats = whole;
  cut_to(formats, {{sell, Layout{}}, {LaunchMode::graph, LaunchMode::plain}});
  const auto is_of_formats = [&](const Measurement& each) {
    return each.matrix >= 0 && (each.layout == sell || each.layout == Layout{}) &&
           (each.launch == LaunchMode::graph || each.launch == LaunchMode::plain);
  };
  EXPECT_EQ(std::ssize(formats.measurements), count(is_of_formats));
  EXPECT_TRUE(std::ranges::all_of(formats.measurements, is_of_formats));
  MeasurementPlan all = whole;
  cut_to(all, {});
  EXPECT_EQ(all.measurements.size(), whole.measurements.size());
}

TEST(GpuPlan, MeasuresEveryStepOfEverySchedule) {
  const auto count = counts(gpu_default_plan({}), Precision::f32);
  for (const char* kernel :
       {"CG1", "CG2", "CG3", "CG4", "CG5", "Red", "CGStart", "CGResidual", "CGDirection",
        "cublasDot", "cublasAxpy", "cublasScal", "cublasCopy", "VendorMultiply", "SpMV", "SpMVDot",
        "cusparseSpMV", "Load/8/variable", "Mixed/2r1w"}) {
    EXPECT_GE(count.at(std::string(kernel) + "//graph"), 8) << kernel;
  }
  EXPECT_GE(count.at("CG3//plain"), 4);
}

TEST(GpuPlan, MeasuresEnoughLengthsOfEveryVectorKernelForACurve) {
  // At least 8 are fitted, of those that are not left out.
  std::map<std::string, std::set<std::int64_t>> lengths;
  for (const Measurement& each : gpu_default_plan({}).measurements) {
    if (each.matrix >= 0 || each.launch == LaunchMode::plain) continue;
    lengths[each.kernel + '/' + std::string(to_string(each.precision))].insert(each.unknowns);
  }
  EXPECT_GT(lengths.size(), 40U);
  for (const auto& [kernel, distinct] : lengths) EXPECT_GE(distinct.size(), 9U) << kernel;
}

TEST(GpuPlan, MeasuresProductsOfMatricesOfEverySizeThatFillsAPartOfTheDevice) {
  const MeasurementPlan plan = gpu_default_plan({});
  std::map<int, std::set<int>> matrices;  // by powers of two of the nonzeros
  for (const Measurement& each : plan.measurements) {
    if (each.kernel != "SpMV") continue;
    const double nonzeros = plan.matrices.at(static_cast<std::size_t>(each.matrix)).nonzeros;
    matrices[std::ilogb(nonzeros)].insert(each.matrix);
  }
  for (int size = 15; size < 24; ++size) EXPECT_GE(matrices[size].size(), 8U) << size;
}

TEST(GpuPlan, MeasuresCsrOfMatricesThatAreLarge) {
  const MeasurementPlan plan = gpu_default_plan({});
  for (const char* kernel : {"SpMV", "SpMVDot", "Iteration"}) {
    std::set<int> large;
    for (const Measurement& each : plan.measurements) {
      if (each.matrix < 0 || each.kernel != kernel || each.layout != Layout{}) continue;
      const double nonzeros = plan.matrices.at(static_cast<std::size_t>(each.matrix)).nonzeros;
      if (nonzeros > 1e8) large.insert(each.matrix);
    }
    EXPECT_GE(large.size(), 4U) << kernel;
  }
}

TEST(GpuPlan, MeasuresEveryFormatThatMayPay) {
  const std::vector<Layout> others = other_layouts();
  EXPECT_EQ(std::ranges::count(others, Layout{"dia"}), 1);
  for (const Layout& layout : others) EXPECT_FALSE(is_csr_or_blocks(layout)) << to_string(layout);
  for (const MeasurementPlan& plan : {gpu_default_plan({}), gpu_quick_plan({})}) {
    std::map<std::string, int> count = counts_in(plan, Layout{"dia"});
    for (const char* kind : {"SpMV/", "SpMVDot/", "Iteration/fused", "Iteration/fused/held out"}) {
      EXPECT_GE(count[kind], 8) << plan.name << ' ' << kind;
    }
  }
}

TEST(GpuPlan, TakesAMinuteAndAHalf) {
  EXPECT_LT(gpu_default_plan({}).estimated_seconds(), 95);
  EXPECT_LT(gpu_quick_plan({}).estimated_seconds(), 30);
  EXPECT_LT(gpu_check_plan({}).estimated_seconds(), 12);
}

TEST(GpuPlan, MeasuresNothingTwice) {
  for (const MeasurementPlan& plan :
       {gpu_default_plan({}), gpu_quick_plan({}), gpu_check_plan({}), gpu_like_plan({})}) {
    std::set<std::string> ids;
    for (const Measurement& each : plan.measurements) {
      EXPECT_TRUE(ids.insert(measurement_id(plan, each)).second) << measurement_id(plan, each);
    }
  }
}

TEST(GpuPlan, MeasuresWhatSharesACopyOfAMatrixOneAfterTheOther) {
  for (const MeasurementPlan& plan :
       {gpu_default_plan({}), gpu_quick_plan({}), gpu_check_plan({}), gpu_like_plan({})}) {
    std::set<std::tuple<int, Precision, Layout>> done;
    std::tuple<int, Precision, Layout> last(-1, Precision::f32, Layout{});
    for (const Measurement& each : plan.measurements) {
      if (each.matrix < 0) continue;
      const std::tuple copy(each.matrix, each.precision, each.layout);
      if (copy != last) {
        EXPECT_TRUE(done.insert(copy).second) << measurement_id(plan, each);
      }
      last = copy;
    }
  }
}

TEST(GpuPlan, MeasuresEveryFormatsConversionsInBothPrecisions) {
  for (const Layout& layout : {Layout{}, block_layout(3), Layout{"dia"}}) {
    std::map<Precision, int> count;
    for (const Measurement& each : gpu_default_plan({}).measurements) {
      if (each.kernel == "SpMV" && each.layout == layout) ++count[each.precision];
    }
    for (const auto& [precision, products] : count) EXPECT_GE(products, 50) << to_string(layout);
    EXPECT_EQ(count.size(), 2U) << to_string(layout);
  }
}

/// So that runs with both can be fitted together.
TEST(GpuPlan, AnotherSeedGivesOtherMatricesAndHoldsOutNoneThatTheFirstFits) {
  const auto matrices = [](std::uint64_t seed, bool held_out) {
    const MeasurementPlan plan = gpu_default_plan({.seed = seed});
    std::set<std::string> names;
    for (const Measurement& each : plan.measurements) {
      if (each.matrix < 0 || each.held_out != held_out) continue;
      names.insert(plan.matrices[static_cast<std::size_t>(each.matrix)].description);
    }
    return names;
  };
  const auto shared = [](const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::ranges::count_if(a, [&](const std::string& name) { return b.contains(name); });
  };
  const std::set<std::string> fitted = matrices(1, false);
  EXPECT_LT(shared(fitted, matrices(2, false)), std::ssize(fitted) / 10);
  EXPECT_EQ(shared(fitted, matrices(2, true)), 0);
  EXPECT_EQ(shared(matrices(1, true), matrices(2, false)), 0);
}

TEST(GpuPlan, KeepsHeldOutMatricesApart) {
  for (const MeasurementPlan& plan : {gpu_default_plan({}), gpu_quick_plan({})}) {
    EXPECT_TRUE(intervals_are_held_out(plan));
    EXPECT_TRUE(std::ranges::any_of(plan.measurements, &Measurement::held_out));
  }
}

TEST(GpuPlan, LooksMostCloselyAtWorkingSetsAroundTheCache) {
  int around = 0;
  int all = 0;
  double largest = 0;
  for (const Measurement& each : gpu_default_plan({}).measurements) {
    if (each.kernel != "CG4" || each.precision != Precision::f64) continue;
    const double bytes = 7.0 * 8 * static_cast<double>(each.unknowns);
    largest = std::max(largest, bytes);
    if (each.launch == LaunchMode::plain) continue;
    ++all;
    if (bytes > 9e6 && bytes < 310e6) ++around;
  }
  EXPECT_GT(largest, 300e6);
  EXPECT_GE(2 * around, all);
}

TEST(GpuPlan, HasMatricesOfEveryFamilyAmongTheFirst) {
  const MeasurementPlan plan = gpu_default_plan({});
  std::set<std::string> kinds;
  for (std::size_t i = 0; i < 22; ++i) {
    const std::string& description = plan.matrices.at(i).description;
    kinds.insert(description.substr(0, description.find(' ')));
  }
  for (const char* kind : {"laplacian5", "fem_p1", "trefethen", "random", "power_law", "arrow"}) {
    EXPECT_TRUE(kinds.contains(kind)) << kind;
  }
}

TEST(GpuPlan, GeneratesSymmetricMatricesWithPositiveDiagonals) {
  const MeasurementPlan plan = gpu_default_plan({});
  int generated = 0;
  for (const MatrixRecipe& recipe : plan.matrices) {
    if (recipe.nonzeros > 100'000) continue;
    ++generated;
    const MatrixFeatures features = compute_features(recipe.generate(2).view());
    EXPECT_TRUE(features.symmetric) << recipe.description;
    EXPECT_EQ(features.missing_diagonal, 0) << recipe.description;
    EXPECT_EQ(features.negative_diagonal + features.zero_diagonal, 0) << recipe.description;
    const double ratio = static_cast<double>(features.nonzeros) / recipe.nonzeros;
    if (recipe.nonzeros < 20'000) continue;  // sizes go in steps
    EXPECT_GT(ratio, 0.4) << recipe.description;
    EXPECT_LT(ratio, 2.5) << recipe.description;
  }
  EXPECT_GT(generated, 20);
}

TEST(GpuPlan, HasAScheduleForEveryMeasurement) {
  std::set<std::pair<std::string, std::string>> kinds;
  for (const Measurement& each : gpu_default_plan({}).measurements) {
    kinds.insert({each.kernel, each.schedule});
  }
  for (const auto& [kernel, schedule] : kinds) {
    EXPECT_NO_THROW(check_schedule(schedule_to_measure(kernel, schedule))) << kernel;
  }
}

TEST(GpuPlan, OfARelativeIsShortAndHasWhatTellsDeviceConstants) {
  const MeasurementPlan plan = gpu_like_plan({});
  EXPECT_EQ(plan.name, "like");
  EXPECT_LT(plan.estimated_seconds(), 15);
  EXPECT_EQ(plan.matrices.size(), 23U);
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const auto count = counts(plan, precision);
    for (const char* kind :
         {"Iteration/algorithm1/host", "Iteration/algorithm1/plain", "Iteration/algorithm1/graph",
          "Iteration/fused/plain", "Iteration/fused/graph", "Iteration/fused/persistent",
          "Iteration/vendor/host", "Iteration/vendor/graph", "SpMV//graph", "SpMVDot//graph",
          "CG4//graph", "Red//graph", "Mixed/1r2w//graph"}) {
      ASSERT_TRUE(count.contains(kind)) << kind;
      EXPECT_GE(count.at(kind), 5) << kind;
    }
  }
  double largest = 0;
  for (const Measurement& each : plan.measurements) {
    EXPECT_FALSE(each.held_out);
    if (each.matrix < 0) largest = std::max(largest, static_cast<double>(each.unknowns));
  }
  EXPECT_GT(largest, 2e7);  // beyond the cache
}

}  // namespace
}  // namespace sparsecast
