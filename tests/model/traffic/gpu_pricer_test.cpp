#include "model/traffic/gpu_pricer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/diagonal_blocks.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "core/schedule/pass_step.hpp"
#include "model/traffic/traffic_example.hpp"
#include "model/traffic/traffic_pricer.hpp"

namespace sparsecast {
namespace {

constexpr double giga = 1e9;

TrafficPrice price(const Schedule& schedule, LaunchMode launch, const TrafficCase& segment,
                   const TrafficParameters& parameters) {
  return TrafficPricer(schedule, launch, segment, example_gpu(), Precision::f64).price(parameters);
}

TEST(GpuPricer, PricesAKernelInTheCacheByItsOwnThroughput) {
  const TrafficParameters parameters = example_parameters();
  const TrafficCase segment = example_case(100'000);
  const TrafficPrice found =
      price(single_step_schedule("CGDirection"), LaunchMode::graph, segment, parameters);
  const double bytes = 8 * 100'000.0;  // three reads and two writes of so many
  EXPECT_NEAR(found.seconds,
              parameters.kernels.at("vector").fixed_seconds +
                  3 * bytes / (giga * parameters.device.cache_read_gbps) +
                  2 * bytes / (giga * parameters.device.cache_write_gbps),
              0.01 * found.seconds);
  EXPECT_EQ(found.steps.front().bound, Bound::launch);
}

TEST(GpuPricer, PricesAKernelBeyondTheCacheByTheMemory) {
  const TrafficParameters parameters = example_parameters();
  const TrafficCase segment = example_case(100'000'000);
  const TrafficPrice found =
      price(single_step_schedule("CGDirection"), LaunchMode::graph, segment, parameters);
  const double least = 3 * 8e8 / (giga * parameters.device.memory_read_gbps) +
                       2 * 8e8 / (giga * parameters.device.memory_write_gbps);
  EXPECT_GT(found.seconds, least);
  EXPECT_LT(found.seconds, 1.15 * least);
  EXPECT_EQ(found.steps.front().bound, Bound::memory);
  EXPECT_NEAR(found.steps.front().memory_bytes, 5 * 8e8, 1e6);
}

TEST(GpuPricer, MemoryTakesLongerWhereThreadBlocksTakePartAfterPart) {
  TrafficParameters parameters = example_parameters();
  const auto memory = [&](const char* kernel, std::int64_t rows) {
    return price(single_step_schedule(kernel), LaunchMode::graph, example_case(rows), parameters)
        .steps.front()
        .memory_seconds;
  };
  // Vectors of 40 and 800 MB, beside an L2 of 52: only the larger ones stream.
  constexpr std::int64_t few = 5'000'000;
  constexpr std::int64_t many = 100'000'000;
  for (const char* kernel : {"CGDirection", "CGResidual", "Red", "CG4", "SpMVDot"}) {
    const bool sums = std::string(kernel) == "CGResidual" || std::string(kernel) == "Red";
    const bool direction = std::string(kernel) == "CGDirection";
    parameters.device.grid_stride = 1;
    const double of_few = memory(kernel, few);
    const double of_many = memory(kernel, many);
    parameters.device.grid_stride = 1.25;
    EXPECT_NEAR(memory(kernel, few) / of_few, sums || direction ? 1.25 : 1, 1e-12) << kernel;
    EXPECT_NEAR(memory(kernel, many) / of_many, sums ? 1.25 : 1, 1e-12) << kernel;
  }
}

TEST(GpuPricer, PricesAProductByDiagonalBlocksAsAPassThatMovesAsMuch) {
  Schedule blocks;
  for (int k = 0; k < 5; ++k) blocks.vectors.push_back({"v" + std::to_string(k)});
  Schedule pass = blocks;
  blocks.iteration = {block_step({0, 1, 2}, 3, 4)};
  VectorPass sum;
  PassStatement& statement = sum.statements.emplace_back();
  statement.target = 4;
  for (int k = 0; k < 4; ++k) statement.terms.push_back({1, -1, k});
  pass.iteration = {pass_step(sum, {0, 1, 2, 3, 4})};
  for (const std::int64_t unknowns : {10'000, 100'000'000}) {
    const TrafficCase segment = example_case(unknowns);
    const auto seconds = [&](const Schedule& schedule) {
      TrafficParameters parameters = example_parameters();
      parameters.kernels["pass"] = {.fixed_seconds = 2e-6, .vector_seconds = 1e-7};
      return price(schedule, LaunchMode::plain, segment, parameters).seconds;
    };
    EXPECT_DOUBLE_EQ(seconds(blocks), seconds(pass)) << unknowns;
  }
}

TEST(GpuPricer, FindsWhatTheStepBeforeLeftInTheCache) {
  // 4 MB vectors: alone, CGResidual finds its three in the cache; behind a product of 400 MB only a
  // part of u is there.
  const TrafficParameters parameters = example_parameters();
  TrafficCase segment = example_case(500'000);
  segment.shape.elements = segment.shape.blocks = 40e6;
  const TrafficPrice alone =
      price(single_step_schedule("CGResidual"), LaunchMode::graph, segment, parameters);
  const TrafficPrice whole = price(fused_cg_schedule(), LaunchMode::graph, segment, parameters);
  const StepPrice& residual = whole.steps.at(1);
  ASSERT_EQ(residual.name, "CGResidual");
  EXPECT_LT(alone.steps.front().memory_bytes, 1e5);
  EXPECT_GT(residual.memory_bytes, 1e7);
  EXPECT_GT(residual.seconds, alone.seconds);
}

TEST(GpuPricer, ChargesLookUpsThatTheFirstLevelCacheDoesNotHold) {
  const TrafficParameters parameters = example_parameters();
  const TrafficCase ordered = example_case(100'000);
  TrafficCase scattered = ordered;
  // The same look-ups, but none of a sector that the same thread block has looked up.
  scattered.pattern.sector_lookups = {};
  scattered.pattern.sector_lookups[16] = 475'000;
  scattered.pattern.sector_lookups[33] = 25'000;
  const Schedule product = single_step_schedule("SpMV");
  const TrafficPrice best = price(product, LaunchMode::graph, ordered, parameters);
  const TrafficPrice worst = price(product, LaunchMode::graph, scattered, parameters);
  EXPECT_GT(worst.steps.front().gathered_bytes, 5 * best.steps.front().gathered_bytes);
  EXPECT_GT(worst.seconds, best.seconds);
}

TEST(GpuPricer, ChargesWhatTheLaunchModeCosts) {
  const TrafficParameters parameters = example_parameters();
  const TrafficCase segment = example_case(1000);
  const Schedule schedule = fused_cg_schedule();
  const double steps = [&] {
    double sum = 0;
    for (const StepPrice& step : price(schedule, LaunchMode::graph, segment, parameters).steps) {
      sum += step.seconds;
    }
    return sum;
  }();
  const DeviceCosts& device = parameters.device;
  EXPECT_DOUBLE_EQ(price(schedule, LaunchMode::graph, segment, parameters).seconds,
                   steps + device.graph_seconds);
  EXPECT_DOUBLE_EQ(price(schedule, LaunchMode::plain, segment, parameters).seconds,
                   steps + 3 * device.plain_seconds);
  // Two of the three kernels end with sums.
  EXPECT_DOUBLE_EQ(price(schedule, LaunchMode::host, segment, parameters).seconds,
                   steps + 3 * device.plain_seconds + 2 * device.wait_seconds);
}

TEST(GpuPricer, ChargesWhatTheKernelsOfPassesEndWith) {
  TrafficParameters parameters = example_parameters();
  parameters.kernels["pass"] = {.fixed_seconds = 1e-6, .sum_seconds = 1e-6};
  const TrafficCase segment = example_case(1000);
  const auto between = [&](const Schedule& schedule) {
    return price(schedule, LaunchMode::graph, segment, parameters).launch_seconds;
  };
  // Unknown: a sixth of what lies between iterations of ours, of each kernel.
  EXPECT_DOUBLE_EQ(between(pass_iteration_schedule("PassIteration/cg")),
                   parameters.device.graph_seconds / 2);
  EXPECT_DOUBLE_EQ(between(pass_pair_schedule(true)), 0);
  parameters.passes = PassCosts{6e-7, 5e-7, 8e-7, 9e-8, 1.2e-7, 3e-8, 3e-7, 7e-8, 1e-6};
  EXPECT_DOUBLE_EQ(between(pass_pair_schedule(true)), 0);
  const double short_one = 6e-7 + 8e-7 + 9e-8 + 3e-8;
  EXPECT_DOUBLE_EQ(between(pass_iteration_schedule("PassIteration/sum")), short_one);
  EXPECT_DOUBLE_EQ(between(pass_iteration_schedule("PassIteration/pass")), short_one + 5e-7);
  EXPECT_NEAR(between(pass_iteration_schedule("PassIteration/kernels")),
              10 * 6e-7 + 8e-7 + 11 * 9e-8 + 10 * 3e-8 + 7 * 1e-6, 1e-15);
  // A check and a quotient, a quotient, a check.
  const double cg = 3 * 6e-7 + 5e-7 + 8e-7 + 2 * 9e-8 + 2 * 1.2e-7 + 3 * 3e-8;
  EXPECT_NEAR(between(pass_iteration_schedule("PassIteration/cg")), cg, 1e-15);
  EXPECT_NEAR(between(pass_iteration_schedule("PassIteration/cg-sums")), cg + 3 * 3e-7, 1e-15);
  EXPECT_NEAR(between(pass_iteration_schedule("PassIteration/cg-guarded")), cg + 3 * 7e-8, 1e-15);
  EXPECT_NEAR(between(pass_iteration_schedule("PassIteration/cg-chain")),
              cg + 24 * 9e-8 + 23 * 3e-8, 1e-15);
  EXPECT_NEAR(between(pass_iteration_schedule("PassIteration/cg-apart")), cg + 24 * 9e-8, 1e-15);
  EXPECT_NEAR(between(pass_iteration_schedule("PassIteration/cg-product")),
              cg + 24 * 1.2e-7 + 23 * 3e-8, 1e-15);
  EXPECT_DOUBLE_EQ(between(fused_cg_schedule()), parameters.device.graph_seconds);
}

TEST(GpuPricer, DependsOnWhatKernelsEndWithWhereThereIsAnyOfIt) {
  const auto groups = [](const Schedule& schedule, LaunchMode launch) {
    return TrafficPricer(schedule, launch, example_case(1000), example_gpu(), Precision::f64)
        .parameter_groups();
  };
  const Schedule iteration = pass_iteration_schedule("PassIteration/pass");
  using Groups = std::vector<std::string>;
  EXPECT_EQ(groups(iteration, LaunchMode::graph),
            (Groups{"device", "pass", "passes", "product/csr"}));
  EXPECT_EQ(groups(iteration, LaunchMode::plain), (Groups{"device", "pass", "product/csr"}));
  EXPECT_EQ(groups(pass_pair_schedule(true), LaunchMode::graph), (Groups{"device", "pass"}));
}

TEST(GpuPricer, ChargesKernelsWhoseGuardIsClosed) {
  const TrafficParameters parameters = example_parameters();
  const TrafficCase segment = example_case(1000);
  const TrafficPrice found = price(algorithm1_schedule(), LaunchMode::graph, segment, parameters);
  // CG2 and its reduction.
  EXPECT_GT(found.launch_seconds,
            parameters.device.graph_seconds + 2 * parameters.device.skipped_seconds);
}

TEST(GpuPricer, TakesAlignedLoadsForAPassMoreWhereARowMayCrossTheirEnd) {
  const TrafficParameters parameters = example_parameters();
  TrafficCase segment = example_case(1000);
  const Schedule product = single_step_schedule("SpMV");
  const auto longest_row_seconds = [&] {
    return price(product, LaunchMode::graph, segment, parameters).steps.front().longest_row_seconds;
  };
  // A lane takes two groups of four entries at once.
  const ProductCosts& costs = parameters.products.at("csr");
  const double pass = costs.pass_seconds * costs.double_pass;
  EXPECT_DOUBLE_EQ(longest_row_seconds(), pass);
  segment.pattern.longest_row = 6;
  EXPECT_DOUBLE_EQ(longest_row_seconds(),
                   1.25 * pass);  // of the four places where it may begin, one
}

TEST(GpuPricer, ChargesPiecesOfARowByTheirOwnLength) {
  const TrafficParameters parameters = example_parameters();
  TrafficCase segment = example_case(100'000);
  SpmvExecution& execution = segment.execution.product;
  execution.piece_length = 2048;
  execution.long_rows = execution.pieces = 1;
  const Schedule product = single_step_schedule("SpMV");
  const auto longest_row_seconds = [&](double longest) {
    segment.pattern.longest_row = longest;
    return price(product, LaunchMode::graph, segment, parameters).steps.front().longest_row_seconds;
  };
  const ProductCosts& costs = parameters.products.at("csr");
  const double pass = costs.pass_seconds * costs.double_pass;
  EXPECT_DOUBLE_EQ(longest_row_seconds(100), 4.75 * pass);  // that of a short row of 32
  EXPECT_DOUBLE_EQ(longest_row_seconds(1500), 8 * pass);    // 256 at a time, and 2 to begin
  EXPECT_DOUBLE_EQ(longest_row_seconds(5000), 11 * pass + parameters.device.join_seconds);
}

TEST(GpuPricer, CountsRowOffsetsOfFourBytesUnlessThereAreTooManyValues) {
  const TrafficParameters parameters = example_parameters();
  const Schedule product = single_step_schedule("SpMV");
  TrafficCase segment = example_case(1'000'000);
  const auto offsets = [&] {
    return price(product, LaunchMode::graph, segment, parameters).steps.front().bytes.row_pointers;
  };
  EXPECT_EQ(offsets(), 4e6);
  const auto most = static_cast<double>(CudaPolicy{}.most_values_with_32_bit_offsets);
  segment.shape.elements = segment.shape.blocks = most;
  EXPECT_EQ(offsets(), 4e6);
  segment.shape.elements = segment.shape.blocks = most + 1;
  EXPECT_EQ(offsets(), 8e6);
}

TEST(GpuPricer, OverlapsLessInAProductThatFillsTheDeviceOnlyOnce) {
  // All in the cache, and thread blocks of no cost of their own.
  TrafficParameters parameters = example_parameters();
  parameters.products["csr"].next_wave_seconds = 0;
  const Schedule product = single_step_schedule("SpMV");
  TrafficCase segment = example_case(300'000);
  segment.execution.product.blocks = 100;
  const double few = price(product, LaunchMode::graph, segment, parameters).seconds;
  segment.execution.product.blocks = 10'000;
  const double many = price(product, LaunchMode::graph, segment, parameters).seconds;
  EXPECT_GT(few, 1.05 * many);
  parameters.device.product_overlap = 1;
  const double added = price(product, LaunchMode::graph, segment, parameters).seconds;
  EXPECT_GE(added, few);
}

TEST(GpuPricer, ChargesPassesAndLinesThatWarpsLoad) {
  TrafficParameters parameters = example_parameters();
  parameters.products["csr"].entry_seconds = parameters.products["csr"].byte_seconds = 0;
  parameters.device.double_seconds = 0;
  const Schedule product = single_step_schedule("SpMV");
  TrafficCase segment = example_case(2'560'000);
  const auto step = [&] {
    return price(product, LaunchMode::graph, segment, parameters).steps.front();
  };
  const StepPrice before = step();
  segment.execution.product.loads.passes *= 2;
  segment.execution.product.loads.lines += 1e7;
  const StepPrice after = step();
  EXPECT_NEAR(after.instruction_seconds, 2 * before.instruction_seconds, 1e-12);
  const double unevenness = 101.0 / (10'001 / 100.0);  // thread blocks over multiprocessors
  EXPECT_NEAR(after.l1_seconds - before.l1_seconds,
              unevenness * 1e7 * parameters.device.line_seconds / 100, 1e-12);
}

TEST(GpuPricer, ChargesTheFullestMultiprocessorForTheLinesThatItLoads) {
  const TrafficParameters parameters = example_parameters();
  const Schedule product = single_step_schedule("SpMV");
  TrafficCase segment = example_case(25'000);
  const auto l1_seconds = [&](std::int64_t blocks) {
    segment.execution.product.blocks = blocks;
    return price(product, LaunchMode::graph, segment, parameters).steps.front().l1_seconds;
  };
  const double even = l1_seconds(100);
  EXPECT_NEAR(l1_seconds(200), even, 1e-12);
  EXPECT_NEAR(l1_seconds(101), even * 2 / 1.01, 1e-12);
  EXPECT_NEAR(l1_seconds(50), even * 2, 1e-12);
}

/// `wave_seconds` of a product in CSR of so many thread blocks; 6 have room on a multiprocessor.
double wave_seconds(const TrafficParameters& parameters, std::int64_t blocks,
                    const char* product = "SpMV") {
  TrafficCase segment = example_case(25'000);
  segment.execution.product.blocks = blocks;
  return price(single_step_schedule(product), LaunchMode::graph, segment, parameters)
      .steps.front()
      .wave_seconds;
}

TEST(GpuPricer, ChargesASecondWaveOfThreadBlocksWhole) {
  TrafficParameters parameters = example_parameters();
  parameters.device.contention = parameters.device.uneven_waves = 0;
  const double next = parameters.products["csr"].next_wave_seconds;
  EXPECT_EQ(wave_seconds(parameters, 300), 0);
  EXPECT_EQ(wave_seconds(parameters, 600), 0);
  EXPECT_NEAR(wave_seconds(parameters, 601), next, 1e-12);
  EXPECT_NEAR(wave_seconds(parameters, 1200), next, 1e-12);
  // Of the third, half of what its thread blocks do not fill.
  EXPECT_NEAR(wave_seconds(parameters, 1500), 1.75 * next, 1e-12);
  EXPECT_NEAR(wave_seconds(parameters, 1800), 2 * next, 1e-12);
}

TEST(GpuPricer, ChargesPassesInFurtherWavesOfAProductWithSums) {
  TrafficParameters parameters = example_parameters();
  parameters.device.contention = parameters.device.uneven_waves = 0;
  const double next = parameters.products["csr"].next_wave_seconds;
  // 782 warps' passes, of 1200 thread blocks of 8 warps.
  const double passes = 25'000 / 32.0 / (1200 * 8);
  EXPECT_NEAR(wave_seconds(parameters, 1200, "SpMVDot"),
              next + passes * parameters.products["csr"].sum_wave_seconds, 1e-15);
}

TEST(GpuPricer, SpreadsThePassesOfSumsOverWarpsThatTakePiecesToo) {
  TrafficParameters parameters = example_parameters();
  parameters.device.contention = parameters.device.uneven_waves = 0;
  // Ten rows, of which one is cut into 9592 pieces: 1199 thread blocks of 8 warps, and one.
  TrafficCase segment = example_case(10);
  SpmvExecution& execution = segment.execution.product;
  execution.piece_length = 2048;
  execution.long_rows = 1;
  execution.pieces = 9592;
  execution.loads.passes = 2.0 * 1200 * 8;
  const ProductCosts& costs = parameters.products["csr"];
  EXPECT_NEAR(price(single_step_schedule("SpMVDot"), LaunchMode::graph, segment, parameters)
                  .steps.front()
                  .wave_seconds,
              costs.next_wave_seconds + 2 * costs.sum_wave_seconds, 1e-12);
}

TEST(GpuPricer, HidesWaitsForMemoryBehindTheOtherWarps) {
  TrafficParameters parameters = example_parameters();
  parameters.device.cache_bytes = 1;  // nothing is there
  const TrafficCase segment = example_case(320'000);
  const auto instruction_seconds = [&](const char* product) {
    return price(single_step_schedule(product), LaunchMode::graph, segment, parameters)
        .steps.front()
        .instruction_seconds;
  };
  const double with = instruction_seconds("SpMV");
  const double with_sums = instruction_seconds("SpMVDot");
  const double wait = parameters.device.memory_wait_seconds;
  parameters.device.memory_wait_seconds = 0;
  // 10 000 passes, 100 multiprocessors, 6 thread blocks of 8 warps.
  EXPECT_NEAR(with - instruction_seconds("SpMV"), 10'000 * wait / (6 * 8) / 100, 1e-12);
  EXPECT_EQ(with_sums, instruction_seconds("SpMVDot"));
}

TEST(GpuPricer, ChargesAShareOfAWavesInstructionsWhereThereIsASecondWave) {
  TrafficParameters parameters = example_parameters();
  const double instructions =
      price(single_step_schedule("SpMV"), LaunchMode::graph, example_case(25'000), parameters)
          .steps.front()
          .instruction_seconds;
  const auto uneven_seconds = [&](std::int64_t blocks) {
    parameters.device.uneven_waves = 0.2;
    const double with = wave_seconds(parameters, blocks);
    parameters.device.uneven_waves = 0;
    return with - wave_seconds(parameters, blocks);
  };
  EXPECT_EQ(uneven_seconds(600), 0);
  // Half of it where the second turn has a twentieth of the first's thread blocks.
  EXPECT_NEAR(uneven_seconds(630), 0.5 * 0.2 * instructions * 6 / 6.3, 1e-12);
  EXPECT_NEAR(uneven_seconds(900), 0.2 * instructions * 6 / 9, 1e-12);
}

TEST(GpuPricer, AddsWhatProductsLikeItTookMoreThanTheTerms) {
  TrafficParameters parameters = example_parameters();
  const Schedule product = single_step_schedule("SpMV");
  const TrafficCase segment = example_case(25'000);
  const TrafficPricer pricer(product, LaunchMode::graph, segment, example_gpu(), Precision::f64);
  const StepPrice terms = pricer.price(parameters).steps.front();
  EXPECT_EQ(terms.residual_seconds, 0);
  Residual like_it;
  like_it.mean = pricer.product_traits(parameters).value();
  like_it.range.assign(like_it.mean.size(), 1);
  like_it.points = {{Traits(like_it.mean.size()), 0.1}};
  parameters.residuals["products"] = like_it;
  const StepPrice more = pricer.price(parameters).steps.front();
  EXPECT_NEAR(more.seconds, std::exp(0.1) * terms.seconds, 1e-12);
  EXPECT_NEAR(more.residual_seconds, more.seconds - terms.seconds, 1e-12);
  // The other precision is like it as far as its range of value bytes goes.
  EXPECT_LT(TrafficPricer(product, LaunchMode::graph, segment, example_gpu(), Precision::f32)
                .price(parameters)
                .steps.front()
                .residual_seconds,
            more.residual_seconds);
}

TEST(GpuPricer, AddsWhatIterationsLikeItTookMoreThanTheirSteps) {
  TrafficParameters parameters = example_parameters();
  const Schedule iteration = fused_cg_schedule();
  const TrafficCase segment = example_case(25'000);
  const TrafficPricer pricer(iteration, LaunchMode::graph, segment, example_gpu(), Precision::f64);
  const TrafficPrice terms = pricer.price(parameters);
  EXPECT_EQ(terms.residual_seconds, 0);
  const Traits traits = pricer.iteration_traits(parameters).value();
  const auto of = [&](IterationTrait trait) { return traits[static_cast<std::size_t>(trait)]; };
  EXPECT_NEAR(of(IterationTrait::launches), std::log(3.0), 1e-12);
  EXPECT_NEAR(of(IterationTrait::unknowns), std::log(25'000.0), 1e-12);
  EXPECT_NEAR(of(IterationTrait::product_share), terms.steps.front().seconds / terms.seconds,
              1e-12);
  EXPECT_GE(of(IterationTrait::missed), 0);
  EXPECT_LT(of(IterationTrait::missed), 0.01);  // all is in the cache
  Residual like_it;
  like_it.mean = traits;
  like_it.range.assign(traits.size(), 1);
  like_it.points = {{Traits(traits.size()), -0.1}};
  parameters.residuals["iterations"] = like_it;
  const TrafficPrice less = pricer.price(parameters);
  EXPECT_NEAR(less.seconds, std::exp(-0.1) * terms.seconds, 1e-12);
  EXPECT_NEAR(less.residual_seconds, less.seconds - terms.seconds, 1e-12);
  EXPECT_NEAR(less.steps.front().seconds, std::exp(-0.1) * terms.steps.front().seconds, 1e-12);
  double sum = less.launch_seconds;
  for (const StepPrice& step : less.steps) sum += step.seconds;
  EXPECT_NEAR(sum, less.seconds, 1e-12);
  // Traits are of the terms, whatever is known to be left of them.
  EXPECT_EQ(pricer.iteration_traits(parameters), traits);
}

TEST(GpuPricer, TellsTraitsOfIterationsAsGraphsAlone) {
  const TrafficParameters parameters = example_parameters();
  const TrafficCase segment = example_case(25'000);
  const auto has_traits = [&](const Schedule& schedule, LaunchMode launch) {
    return TrafficPricer(schedule, launch, segment, example_gpu(), Precision::f64)
        .iteration_traits(parameters)
        .has_value();
  };
  const Schedule iteration = fused_cg_schedule();
  EXPECT_TRUE(has_traits(iteration, LaunchMode::graph));
  EXPECT_FALSE(has_traits(iteration, LaunchMode::plain));
  EXPECT_FALSE(has_traits(iteration, LaunchMode::host));
  EXPECT_FALSE(has_traits(iteration, LaunchMode::persistent));
  const Schedule product = single_step_schedule("SpMV");
  EXPECT_FALSE(has_traits(product, LaunchMode::graph));
}

TEST(GpuPricer, TellsTraitsOfOneProductOfItsOwnAlone) {
  const TrafficParameters parameters = example_parameters();
  const TrafficCase segment = example_case(25'000);
  const auto traits = [&](const Schedule& schedule) {
    return TrafficPricer(schedule, LaunchMode::graph, segment, example_gpu(), Precision::f64)
        .product_traits(parameters);
  };
  const Schedule product = single_step_schedule("SpMV");
  const auto found = traits(product);
  ASSERT_TRUE(found);
  const auto of = [&](ProductTrait trait) { return (*found)[static_cast<std::size_t>(trait)]; };
  EXPECT_NEAR(of(ProductTrait::vector_bytes), std::log(8 * 25'000.0), 1e-12);
  EXPECT_GE(of(ProductTrait::missed), 0);
  EXPECT_LT(of(ProductTrait::missed), 0.01);  // all is in the cache
  const Schedule iteration = fused_cg_schedule();
  EXPECT_FALSE(traits(iteration));
  const Schedule vectors = single_step_schedule("CGDirection");
  EXPECT_FALSE(traits(vectors));
  const Schedule library = single_step_schedule("cusparseSpMV");
  EXPECT_FALSE(traits(library));
}

TEST(GpuPricer, ChargesCrowdsOfThreadBlocksWhereTheNextLaunchFindsNoRoom) {
  TrafficParameters parameters = example_parameters();
  const auto crowd_seconds = [&](std::int64_t blocks, const char* product) {
    parameters.device.contention = 0.4;
    const double with = wave_seconds(parameters, blocks, product);
    parameters.device.contention = 0;
    return with - wave_seconds(parameters, blocks, product);
  };
  TrafficCase segment = example_case(25'000);
  const double instructions =
      price(single_step_schedule("SpMV"), LaunchMode::graph, segment, parameters)
          .steps.front()
          .instruction_seconds;
  // Of 6 there is room for three launches, two, and one.
  EXPECT_EQ(crowd_seconds(200, "SpMV"), 0);
  EXPECT_NEAR(crowd_seconds(250, "SpMV"), 0.4 * instructions * (6 - 2 * 2.5) / 2.5, 1e-12);
  EXPECT_EQ(crowd_seconds(300, "SpMV"), 0);
  EXPECT_NEAR(crowd_seconds(400, "SpMV"), 0.4 * instructions * (6 - 4) / 4, 1e-12);
  EXPECT_EQ(crowd_seconds(600, "SpMV"), 0);
  EXPECT_EQ(crowd_seconds(700, "SpMV"), 0);
  // Those of a product that ends with sums are as many as there is room for.
  EXPECT_EQ(crowd_seconds(400, "SpMVDot"), 0);
}

TEST(GpuPricer, FindsInAFirstLevelCacheWhatItsOtherThreadBlocksLookedUp) {
  TrafficParameters parameters = example_parameters();
  TrafficCase segment = example_case(100'000);
  // Every thread block looks up a tenth of the vector's 25000 sectors, anywhere.
  segment.pattern.sector_lookups = {};
  segment.pattern.sector_lookups[20] = 975'000;
  segment.pattern.sector_lookups[33] = 25'000;
  segment.execution.product.blocks = 400;
  segment.execution.product.rows_per_block = 256;
  const auto gathered = [&](double l1_bytes) {
    parameters.device.l1_bytes = l1_bytes;
    return price(single_step_schedule("SpMV"), LaunchMode::graph, segment, parameters)
        .steps.front()
        .gathered_bytes;
  };
  const double none = gathered(0);
  EXPECT_NEAR(none, 32e6, 1);
  // Four a multiprocessor: 1 + 0.9 + 0.81 + 0.729 of 4.
  EXPECT_NEAR(gathered(32.0 * 25'000), none * 3.439 / 4, 1e3);
  // Full after the first: nine tenths of what comes then.
  EXPECT_NEAR(gathered(32.0 * 2'500), none * (1 + 3 * 0.9) / 4, 1e3);
  segment.execution.product.blocks = 100;
  EXPECT_NEAR(gathered(32.0 * 25'000), none, 1);
}

TEST(GpuPricer, GathersForPiecesOfLongRowsApart) {
  TrafficParameters parameters = example_parameters();
  parameters.device.l1_bytes = 0;
  TrafficCase segment = example_case(100'000);
  const auto gathered = [&] {
    return price(single_step_schedule("SpMV"), LaunchMode::graph, segment, parameters)
        .steps.front()
        .gathered_bytes;
  };
  const double whole_rows = gathered();
  ASSERT_GT(whole_rows, 32 * 500);
  segment.execution.product.loads.piece_sectors = 9000;
  segment.execution.product.loads.spared_sectors = 500;
  EXPECT_NEAR(gathered(), whole_rows + 32 * 8500, 1);
}

TEST(GpuPricer, ChargesStoredBlocksBesideThePassesOverThem) {
  TrafficParameters parameters = example_parameters();
  const TrafficCase segment = example_case(25'000);
  const auto instruction_seconds = [&] {
    return price(single_step_schedule("SpMV"), LaunchMode::graph, segment, parameters)
        .steps.front()
        .instruction_seconds;
  };
  const double before = instruction_seconds();
  parameters.products["csr"].entry_seconds += 1e-10;
  EXPECT_NEAR(instruction_seconds() - before, 1e-10 * segment.shape.blocks / 100, 1e-15);
}

TEST(GpuPricer, FillsTheDeviceSoonerWithKernelsOfManyRegisters) {
  TrafficParameters parameters = example_parameters();
  parameters.device.contention = parameters.device.uneven_waves = 0;
  const Schedule product = single_step_schedule("SpMV");
  TrafficCase segment = example_case(200'000);  // 7.8 thread blocks a multiprocessor
  const auto wave_seconds = [&](double resident_blocks) {
    segment.geometry.resident_blocks = resident_blocks;
    return price(product, LaunchMode::graph, segment, parameters).steps.front().wave_seconds;
  };
  EXPECT_EQ(wave_seconds(8), 0);
  EXPECT_NEAR(wave_seconds(6), parameters.products["csr"].next_wave_seconds, 1e-12);
}

TEST(GpuPricer, SaysWhatTheParametersLack) {
  TrafficParameters parameters = example_parameters();
  parameters.kernels.erase("vector");
  try {
    price(fused_cg_schedule(), LaunchMode::graph, example_case(1000), parameters);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'vector'"), std::string::npos);
  }
}

TEST(GpuPricer, DependsOnTheGroupsOfParametersThatItNames) {
  const TrafficCase segment = example_case(1000);
  const Schedule schedule = fused_cg_schedule();
  const TrafficPricer pricer(schedule, LaunchMode::graph, segment, example_gpu(), Precision::f64);
  EXPECT_EQ(pricer.parameter_groups(),
            (std::vector<std::string>{"device", "vector", "product/csr"}));
}

TEST(GpuPricer, PricesThePartsThatDependOnAParameterAndNoOthers) {
  const TrafficCase segment = example_case(3'000'000);
  for (const LaunchMode launch : {LaunchMode::graph, LaunchMode::plain, LaunchMode::host}) {
    const Schedule schedule = algorithm1_schedule();
    const TrafficPricer pricer(schedule, launch, segment, example_gpu(), Precision::f64);
    TrafficParameters parameters = example_parameters();
    std::vector<double> before;
    for (std::size_t part = 0; part < pricer.part_count(); ++part) {
      before.push_back(pricer.part_seconds(part, parameters));
    }
    EXPECT_DOUBLE_EQ(std::accumulate(before.begin(), before.end(), 0.0),
                     pricer.price(parameters).seconds);
    for (const TrafficParameter& each : parameter_list(parameters)) {
      const double value = *each.value;
      *each.value = 1.5 * value;
      for (std::size_t part = 0; part < before.size(); ++part) {
        if (pricer.part_depends_on(part, each.name)) continue;
        EXPECT_EQ(pricer.part_seconds(part, parameters), before[part]) << each.name;
      }
      *each.value = value;
    }
  }
}

/// Of two kernels, each with a product like the example's, of which the second adds to all results
/// of the first.
TrafficCase case_of_two_kernels(std::int64_t unknowns) {
  TrafficCase segment = example_case(unknowns);
  const ProductPart part{segment.shape, segment.pattern, segment.execution.product,
                         segment.geometry};
  segment.parts = {part, part};
  segment.parts.back().updated_rows = static_cast<double>(unknowns);
  segment.parts.back().launches = 1;
  segment.shape.elements *= 2;
  segment.shape.blocks *= 2;
  segment.geometry.sums = false;
  return segment;
}

TEST(GpuPricer, PricesAProductOfTwoKernelsAsTwoThatFindTheirResultsInTheCache) {
  TrafficParameters parameters = example_parameters();
  parameters.device.contention = 0;  // one behind itself
  const Schedule product = single_step_schedule("SpMV");
  const double alone = price(product, LaunchMode::graph, example_case(100'000), parameters).seconds;
  const double launch = parameters.kernels.at("vector").fixed_seconds;
  const TrafficPrice found =
      price(product, LaunchMode::graph, case_of_two_kernels(100'000), parameters);
  EXPECT_EQ(found.steps.size(), 1U);
  EXPECT_GT(found.seconds, 2 * alone + launch);
  const double updated = 8 * 100'000.0;
  EXPECT_LT(found.seconds,
            2 * alone + launch + 2 * updated / (giga * parameters.products.at("csr").gbps));
}

TEST(GpuPricer, PricesTheSumsBehindAProductThatCannotEndWithThem) {
  const TrafficParameters parameters = example_parameters();
  TrafficCase of_one_kernel = example_case(100'000);
  of_one_kernel.geometry.sums = false;
  for (const TrafficCase& segment : {case_of_two_kernels(100'000), of_one_kernel}) {
    const auto seconds = [&](const char* step) {
      return price(single_step_schedule(step), LaunchMode::graph, segment, parameters).seconds;
    };
    const KernelCosts& vector = parameters.kernels.at("vector");
    EXPECT_NEAR(seconds("SpMVDot") - seconds("SpMV"),
                vector.fixed_seconds + vector.sum_seconds +
                    2 * 8e5 / (giga * parameters.device.cache_read_gbps),
                1e-9);
  }
}

TEST(GpuPricer, PricesAProductOfTwoKernelsWithoutEntries) {
  TrafficCase segment = case_of_two_kernels(1000);
  segment.shape.elements = segment.shape.blocks = 0;
  segment.pattern = {};
  for (ProductPart& part : segment.parts) {
    part.shape = segment.shape;
    part.pattern = {};
    part.updated_rows = 0;
  }
  const double seconds =
      price(single_step_schedule("SpMV"), LaunchMode::graph, segment, example_parameters()).seconds;
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 1e-4);
}

TEST(GpuPricer, KernelsOfOneProductDependOnTheConstantsOfEach) {
  TrafficCase segment = case_of_two_kernels(100'000);
  segment.parts.back().geometry.priced_as = "dia";
  const Schedule product = single_step_schedule("SpMV");
  const TrafficPricer pricer(product, LaunchMode::graph, segment, example_gpu(), Precision::f64);
  EXPECT_EQ(pricer.parameter_groups(),
            (std::vector<std::string>{"device", "vector", "product/csr", "product/dia"}));
  EXPECT_TRUE(pricer.part_depends_on(0, "product/dia/pass"));
  EXPECT_TRUE(pricer.part_depends_on(0, "vector/fixed"));
  EXPECT_FALSE(pricer.part_depends_on(1, "vector/fixed"));
  EXPECT_THROW(pricer.price(example_parameters()), Error) << "nothing is known of dia";
}

}  // namespace
}  // namespace sparsecast
