#include "calibrate/plan/link_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "calibrate/measure/microbenchmarks.hpp"

namespace sparsecast {
namespace {

TEST(LinkPlan, EveryMatrixOfSeveralGpusHasItsPartAlone) {
  const MeasurementPlan plan = gpu_link_plan(3, PlanOptions{});
  std::set<std::string> alone;
  std::set<std::string> ids;
  int pairs = 0;
  for (const Measurement& each : plan.measurements) {
    EXPECT_TRUE(ids.insert(measurement_id(plan, each)).second);
    if (each.matrix >= 0 && each.exchange == measured_alone) {
      alone.insert(plan.matrices.at(static_cast<std::size_t>(each.matrix)).description);
      EXPECT_EQ(each.devices, 1);
    }
  }
  for (const Measurement& each : plan.measurements) {
    if (each.matrix < 0 || each.devices == 1 || each.held_out) continue;
    const auto& matrix = plan.matrices.at(static_cast<std::size_t>(each.matrix)).description;
    EXPECT_TRUE(alone.contains(part_of_slab(each.devices, matrix))) << matrix;
    ++pairs;
  }
  EXPECT_GT(pairs, 100);
  EXPECT_TRUE(intervals_are_held_out(plan));
  EXPECT_LT(gpu_link_plan(2, PlanOptions{}).estimated_seconds(), 40);
}

TEST(LinkPlan, MeasuresEveryNumberOfGpusAlike) {
  std::map<int, std::map<std::string, int>> counts;
  for (const Measurement& each : gpu_link_plan(4, PlanOptions{}).measurements) {
    EXPECT_EQ(each.launch, LaunchMode::graph);
    ++counts[each.devices][each.kernel + '/' + each.exchange];
  }
  ASSERT_EQ(counts.size(), 4U);
  for (const int devices : {2, 3, 4}) {
    const auto& of = counts.at(devices);
    EXPECT_EQ(of.at("Barrier/peer"), 5) << devices;
    EXPECT_EQ(of.at("Exchange/staged"), of.at("Exchange/peer")) << devices;
    for (const char* kind : {"Exchange/peer", "Red/peer", "CGResidual/peer", "Iteration/halo",
                             "Iteration/peer", "Iteration/staged"}) {
      EXPECT_GE(of.at(kind), 8) << devices << ' ' << kind;
    }
  }
}

TEST(LinkPlan, SumsHaveTheShareOfOneDeviceAlone) {
  const MeasurementPlan plan = gpu_link_plan(3, PlanOptions{});
  std::set<std::tuple<std::string, Precision, std::int64_t>> alone;
  for (const Measurement& each : plan.measurements) {
    if (each.exchange == measured_alone) alone.emplace(each.kernel, each.precision, each.unknowns);
  }
  for (const Measurement& each : plan.measurements) {
    if ((each.kernel != "Red" && each.kernel != "CGResidual") || each.devices == 1) continue;
    EXPECT_TRUE(alone.contains({each.kernel, each.precision, each.unknowns / each.devices}))
        << each.kernel << ' ' << each.unknowns;
  }
}

TEST(LinkPlan, PartsOfVectorsAreWholeLines) {
  for (const Measurement& each : gpu_link_plan(4, PlanOptions{}).measurements) {
    if (each.matrix < 0) {
      EXPECT_EQ(each.unknowns % (32 * each.devices), 0) << each.kernel;
    }
  }
}

TEST(LinkPlan, TakesThePrecisionsThatAreAskedFor) {
  PlanOptions options;
  options.precisions = {Precision::f32};
  for (const Measurement& each : gpu_link_plan(2, options).measurements) {
    EXPECT_TRUE(each.precision == Precision::f32 || each.kernel == "Barrier") << each.kernel;
  }
}

/// Groups of threads stand for GPUs: they do the same steps.
TEST(ThreadedLinkPlan, RunsOnGroupsOfThreads) {
  MeasurementPlan plan = gpu_link_plan(2, PlanOptions{});
  constexpr double most_nonzeros = 1e4;
  constexpr std::int64_t most_unknowns = 4'000;
  std::erase_if(plan.measurements, [&](const Measurement& each) {
    return each.held_out ||
           (each.matrix < 0
                ? each.unknowns > most_unknowns
                : plan.matrices[static_cast<std::size_t>(each.matrix)].nonzeros > most_nonzeros);
  });
  plan.stopwatch = {};
  plan.stopwatch.min_round_seconds = 1e-5;
  plan.stopwatch.min_rounds = 3;
  plan.stopwatch.max_seconds = 1e-3;

  SampleFile file;
  const PlanFailures failures =
      run_plan(plan, measured_cpu(2), file, [](const PlanProgress&) { return true; });

  EXPECT_EQ(failures.count, 0) << failures.first;
  EXPECT_EQ(file.samples.size(), plan.measurements.size());
  std::set<std::string> kernels;
  for (const Sample& sample : file.samples) {
    if (sample.devices == 2) kernels.insert(sample.kernel);
  }
  EXPECT_EQ(kernels,
            (std::set<std::string>{"Barrier", "CGResidual", "Exchange", "Iteration", "Red"}));
}

}  // namespace
}  // namespace sparsecast
