#include "model/traffic/cpu_pricer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/cpu/cpu_plan.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/diagonal_blocks.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "model/traffic/cpu_example.hpp"
#include "model/traffic/cpu_waits.hpp"
#include "model/traffic/traffic_pricer.hpp"

namespace sparsecast {
namespace {

TrafficPrice price(const Schedule& schedule, const TrafficCase& segment,
                   const TrafficParameters& parameters = example_cpu_parameters()) {
  return TrafficPricer(schedule, LaunchMode::graph, segment, {}, Precision::f64).price(parameters);
}

/// Waits of an iteration as the back end plans them, steps with a guard left out.
int planned_waits(const Schedule& schedule) {
  std::vector<PlannedStep> steps;
  for (const Step& step : schedule.iteration) {
    if (step.guard) continue;
    PlannedStep planned{step.kind, step.guard, step.vectors, {}, false, false, false};
    if (step.kind == StepKind::kernel || step.kind == StepKind::reduce) {
      const KernelSignature& entry = find_kernel(step, "the CPU");
      planned.accesses = entry.accesses(step, RowOrder::natural);
      planned.uses_matrix = entry.uses_matrix;
      planned.sums = entry.sums > 0;
    }
    steps.push_back(std::move(planned));
  }
  int waits = 0;
  for (const PlanItem& item : plan_steps(steps, true, false)) {
    const PlannedStep& last = steps[static_cast<std::size_t>(item.last) - 1];
    waits += (item.barrier_before ? 1 : 0) + (last.kind == StepKind::reduce || last.sums ? 1 : 0);
  }
  return waits;
}

/// A product by diagonal blocks behind what writes its operand.
Schedule copied_and_multiplied() {
  Schedule schedule = single_step_schedule("Copy");
  schedule.name = "blocks";
  for (const char* name : {"M0", "M1", "z"}) schedule.vectors.push_back({name});
  schedule.scalars.push_back({"sum"});
  schedule.iteration.front().accesses = {VectorAccess::read, VectorAccess::write};
  const VectorSlot blocks = vector_slot(schedule, "M0");
  schedule.iteration.push_back(block_step({blocks, blocks + 1},
                                          schedule.iteration.front().vectors[1], blocks + 2,
                                          scalar_slot(schedule, "sum")));
  return schedule;
}

TEST(CpuPricer, WaitsAsOftenAsTheBackEndPlans) {
  for (const Schedule& schedule :
       {algorithm1_schedule(), fused_cg_schedule(), single_step_schedule("SpMV"),
        single_step_schedule("CG4"), single_step_schedule("Red"), copied_and_multiplied()}) {
    const std::vector<int> waits = cpu_waits(schedule);
    EXPECT_EQ(std::accumulate(waits.begin(), waits.end(), 0), planned_waits(schedule))
        << schedule.name;
  }
}

TEST(CpuPricer, AThreadAloneWaitsForNobody) {
  const Schedule schedule = fused_cg_schedule();
  const auto waiting = [&](int threads) {
    double seconds = 0;
    for (const StepPrice& step : price(schedule, example_cpu_case(1000, threads)).steps) {
      seconds += step.waiting_seconds;
    }
    return seconds;
  };
  EXPECT_EQ(waiting(1), 0);
  EXPECT_NEAR(waiting(2), 3 * 5e-7, 1e-12);
  EXPECT_NEAR(waiting(4), 3 * (5e-7 + 2 * 5e-8), 1e-12);
}

TEST(CpuPricer, StreamsFromWhereTheIterationLeavesItsArrays) {
  const Schedule schedule = single_step_schedule("CGDirection");  // reads 3 vectors, writes 2 back
  const StepPrice nearest = price(schedule, example_cpu_case(200, 1)).steps.front();
  EXPECT_NEAR(nearest.seconds, 1e-8 + 200 * 5 * 8 / 200e9, 1e-9);
  EXPECT_EQ(nearest.bound, Bound::instructions);
  const double x = 1e8;
  const StepPrice memory =
      price(schedule, example_cpu_case(static_cast<std::int64_t>(x), 2)).steps.front();
  EXPECT_EQ(memory.bound, Bound::memory);
  EXPECT_NEAR(memory.memory_seconds, x * 3 * 8 / 30e9, 0.001 * memory.memory_seconds);
}

TEST(CpuPricer, SecondThreadHalvesWhatIsBoundByInstructions) {
  const Schedule schedule = single_step_schedule("SpMV");
  const double one = price(schedule, example_cpu_case(300, 1)).seconds;
  const double two = price(schedule, example_cpu_case(300, 2)).seconds;
  EXPECT_NEAR((one - 1e-8) / (two - 1e-8), 2, 0.05);
}

/// Of sectors of others: the price is of one among a thousand, and fetches overlap.
double prices_of(double sectors) {
  return 1000 * std::pow(sectors / 1000, 0.8);
}

TEST(CpuPricer, WhatOthersWroteIsFetchedFromTheirCachesInIterationsOnly) {
  TrafficCase scattered = example_cpu_case(2000, 2);
  scattered.pattern.sector_lookups = {};
  scattered.pattern.sector_lookups[11] = 9500;
  scattered.pattern.sector_lookups[33] = 500;
  TrafficParameters without = example_cpu_parameters();
  without.cpu->remote_lookup_seconds = 1e-16;
  const auto difference = [&](const Schedule& schedule) {
    return price(schedule, scattered).seconds - price(schedule, scattered, without).seconds;
  };
  EXPECT_EQ(difference(single_step_schedule("SpMV")), 0);
  // Each of the 500 sectors is looked up by both threads, and belongs to one.
  const double seconds = difference(fused_cg_schedule());
  EXPECT_GT(seconds, 0.5 * prices_of(500) * 2e-8 / 2);
  EXPECT_LT(seconds, 1.1 * prices_of(500) * 2e-8 / 2);
  scattered.cpu->threads = 1;
  EXPECT_EQ(difference(fused_cg_schedule()), 0);
}

TEST(CpuPricer, WhatOthersWroteCostsLessWhenTheirPrivateCachesHaveLostIt) {
  const Schedule schedule = fused_cg_schedule();
  // Both look up all of it.
  const auto difference = [&](std::int64_t unknowns, double CpuCosts::*cost) {
    TrafficCase scattered = example_cpu_case(unknowns, 2);
    scattered.pattern.sector_lookups = {};
    scattered.pattern.sector_lookups[25] = 3.0 * static_cast<double>(unknowns) / 4;
    scattered.pattern.sector_lookups[33] = static_cast<double>(unknowns) / 4;
    TrafficParameters without = example_cpu_parameters();
    (*without.cpu).*cost = 1e-16;
    const auto gathered = [&](const TrafficParameters& parameters) {
      double seconds = 0;
      for (const StepPrice& step : price(schedule, scattered, parameters).steps) {
        seconds += step.gather_seconds;
      }
      return seconds;
    };
    return gathered(example_cpu_parameters()) - gathered(without);
  };
  const double small = prices_of(2000.0 / 4) / 2;
  EXPECT_NEAR(difference(2000, &CpuCosts::remote_lookup_seconds), small * 2e-8, small * 1e-10);
  EXPECT_NEAR(difference(2000, &CpuCosts::evicted_lookup_seconds), 0, small * 1e-10);
  const double large = prices_of(1e6 / 4) / 2;
  EXPECT_NEAR(difference(1000000, &CpuCosts::remote_lookup_seconds), 0, large * 1e-10);
  EXPECT_NEAR(difference(1000000, &CpuCosts::evicted_lookup_seconds), large * 6e-9, large * 1e-10);
}

/// 1024 rows of 5 entries, of which half of the groups of 32 has one that is so many times as long.
TrafficCase uneven_case(double times) {
  TrafficCase segment = example_cpu_case(1024, 1);
  segment.pattern.warp_steps.front() *= (1 + times) / 2;
  return segment;
}

TEST(CpuPricer, RowsOfUnlikeLengthCostMore) {
  const Schedule schedule = single_step_schedule("SpMV");
  const double even = price(schedule, uneven_case(1)).seconds;
  // A third of the groups is not filled: nearly all rows are unlike others.
  EXPECT_NEAR(price(schedule, uneven_case(2)).seconds - even, 1024 * 0.87 * 3e-9, 2e-7);
}

TEST(CpuPricer, OneLongRowMakesNoOthersUneven) {
  const Schedule schedule = single_step_schedule("SpMV");
  TrafficCase arrow = uneven_case(1);
  arrow.pattern.warp_steps.front() += 500;
  arrow.pattern.longest_row += 500;
  arrow.shape.blocks += 500;
  arrow.shape.elements += 500;
  TrafficParameters without = example_cpu_parameters();
  without.cpu->uneven_row_seconds = 1e-16;
  EXPECT_NEAR(price(schedule, arrow).seconds, price(schedule, arrow, without).seconds,
              1024 * 0.1 * 3e-9);
}

TEST(CpuPricer, RowsOfBlocksCostTheSameWhateverTheirNeighbours) {
  const Schedule schedule = single_step_schedule("SpMV");
  const auto blocks = [](double times) {
    TrafficCase segment = uneven_case(times);
    segment.layout = block_layout(2);
    segment.shape.elements *= 4;
    segment.shape.unknowns *= 2;
    segment.shape.total_unknowns *= 2;
    return segment;
  };
  TrafficParameters parameters = example_cpu_parameters();
  parameters.cpu_products[Precision::f64]["bcsr2"] = {2e-9, 4e-10};
  EXPECT_EQ(price(schedule, blocks(2), parameters).seconds,
            price(schedule, blocks(1), parameters).seconds);
}

TEST(CpuPricer, RefusesParametersOfAGpu) {
  EXPECT_THROW(price(fused_cg_schedule(), example_cpu_case(1000, 2), example_parameters()), Error);
}

TEST(CpuPricer, PartsOfAPriceAddUp) {
  const Schedule schedule = algorithm1_schedule();
  const TrafficParameters parameters = example_cpu_parameters();
  const TrafficPricer pricer(schedule, LaunchMode::graph, example_cpu_case(5000, 2), {},
                             Precision::f64);
  double seconds = 0;
  for (std::size_t part = 0; part < pricer.part_count(); ++part) {
    seconds += pricer.part_seconds(part, parameters);
  }
  EXPECT_DOUBLE_EQ(seconds, pricer.price(parameters).seconds);
}

}  // namespace
}  // namespace sparsecast
