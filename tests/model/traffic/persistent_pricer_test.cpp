#include "model/traffic/persistent_pricer.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "model/traffic/traffic_pricer.hpp"
#include "tests/model/traffic/traffic_example.hpp"

namespace sparsecast {
namespace {

constexpr double giga = 1e9;

/// 100 unknowns for each of 132 thread blocks of 4 warps.
TrafficCase small_case() {
  TrafficCase segment = example_case(13'200);
  segment.execution.persistent = {.blocks = 132,
                                  .threads = 128,
                                  .fits = true,
                                  .steps = 132.0 * 40,
                                  .most_steps = 50,
                                  .resident_share = 1,
                                  .halo = 132.0 * 200,
                                  .largest_halo = 300};
  segment.pattern.sector_lookups[20] = 5000;
  return segment;
}

TrafficPrice price(const TrafficCase& segment) {
  return PersistentPricer(segment, Precision::f64, {}).price(example_parameters());
}

TEST(PersistentPricer, AddsSumsStoredBlocksRowsAndHalo) {
  const TrafficParameters parameters = example_parameters();
  const PersistentCosts& costs = *parameters.persistent;
  const TrafficCase segment = small_case();
  const TrafficPrice found = price(segment);
  const PersistentSums& sums = parameters.persistent_sums.at("grid");
  EXPECT_DOUBLE_EQ(found.synchronisation_seconds,
                   sums.base_seconds + 132 * sums.block_seconds + 4 * costs.warp_seconds);
  EXPECT_DOUBLE_EQ(found.blocks_seconds,
                   50 * parameters.persistent_steps.at(Precision::f64).at("csr").step_seconds);
  // 100 rows among 128 threads, one lane a row: every warp takes a slice.
  EXPECT_DOUBLE_EQ(found.unknowns_seconds, costs.slice_seconds);
  // Sectors of the pattern: all but its own are the halo's; the mean segment has 200 values.
  const double sectors = distinct_sectors(segment.pattern, 100) - 13'200 * 8 / 32.0;
  ASSERT_GT(sectors, 0);
  // Three warps have 4 values a thread on the way while the first waits for sums: 300 are few.
  EXPECT_DOUBLE_EQ(found.halo_seconds,
                   sectors / 132 * costs.sector_seconds + 100 * costs.uneven_seconds);
  EXPECT_DOUBLE_EQ(found.moved_seconds, 0);
  EXPECT_DOUBLE_EQ(found.seconds, found.synchronisation_seconds + found.blocks_seconds +
                                      found.unknowns_seconds + found.halo_seconds);
}

TEST(PersistentPricer, IsThatOfTheTrafficModelInLaunchModePersistent) {
  const TrafficCase segment = small_case();
  const Schedule schedule = fused_cg_schedule();
  const TrafficPricer pricer(schedule, LaunchMode::persistent, segment, example_gpu(),
                             Precision::f64);
  EXPECT_DOUBLE_EQ(pricer.price(example_parameters()).seconds, price(segment).seconds);
}

TEST(PersistentPricer, OfAClusterTakesItsOwnSums) {
  TrafficCase segment = small_case();
  segment.execution.persistent.blocks = 8;
  segment.execution.persistent.clustered = true;
  const PersistentSums sums = example_parameters().persistent_sums.at("cluster");
  EXPECT_DOUBLE_EQ(price(segment).synchronisation_seconds,
                   sums.base_seconds + 8 * sums.block_seconds +
                       4 * example_parameters().persistent->warp_seconds);
}

TEST(PersistentPricer, ChargesRoundsOfTheLargestHaloBehindTheFirst) {
  const PersistentCosts costs = *example_parameters().persistent;
  TrafficCase segment = small_case();
  const auto halo_seconds = [&](double largest) {
    segment.execution.persistent.largest_halo = largest;
    return price(segment).halo_seconds - (largest - 200) * costs.uneven_seconds;
  };
  // 3 of 4 warps with 4 values a thread take the first, all of them 512 at a time what is beyond.
  const double few = halo_seconds(3 * 32 * 4);
  EXPECT_DOUBLE_EQ(halo_seconds(300), few);
  EXPECT_NEAR(halo_seconds(3 * 32 * 4 + 5 * 512) - few, 5 * costs.round_seconds, 1e-15);
  segment.execution.persistent.clustered = true;
  EXPECT_NEAR(halo_seconds(3 * 32 * 4 + 5 * 512), few, 1e-15);
}

TEST(PersistentPricer, ChargesLinesThatTheLargestHaloIsScatteredOver) {
  const PersistentCosts costs = *example_parameters().persistent;
  TrafficCase segment = small_case();
  const double before = price(segment).halo_seconds;
  const double mean_sectors = (distinct_sectors(segment.pattern, 100) - 13'200 * 8 / 32.0) / 132;
  // No more than the mean segment's sectors.
  segment.execution.persistent.most_halo_lines = std::floor(mean_sectors);
  EXPECT_DOUBLE_EQ(price(segment).halo_seconds, before);
  segment.execution.persistent.most_halo_lines = mean_sectors + 300;
  EXPECT_NEAR(price(segment).halo_seconds,
              before - 100 * costs.uneven_seconds +
                  std::hypot(100 * costs.uneven_seconds, 300 * costs.sector_seconds),
              1e-15);
}

TEST(PersistentPricer, ChargesEverySliceThatAWarpBegins) {
  const double slice = example_parameters().persistent->slice_seconds;
  const auto unknowns_seconds = [](double unknowns) {
    TrafficCase segment = example_case(static_cast<std::int64_t>(unknowns));
    segment.execution.persistent = {.blocks = 1, .threads = 128, .fits = true};
    return price(segment).unknowns_seconds;
  };
  EXPECT_DOUBLE_EQ(unknowns_seconds(1), slice);
  EXPECT_DOUBLE_EQ(unknowns_seconds(128), slice);
  EXPECT_DOUBLE_EQ(unknowns_seconds(200), 2 * slice);
  EXPECT_DOUBLE_EQ(unknowns_seconds(256), 2 * slice);
}

TEST(PersistentPricer, ChargesOtherSolversForTheirProductsWaitsAndRows) {
  const TrafficCase segment = small_case();
  const TrafficPrice calibrated = price(segment);
  PersistentNeeds needs;
  needs.waits = 1;
  const auto price_of = [&] {
    return PersistentPricer(segment, Precision::f64, needs).price(example_parameters());
  };
  EXPECT_DOUBLE_EQ(price_of().synchronisation_seconds, 0.75 * calibrated.synchronisation_seconds);
  needs.products = 2;
  needs.waits = 4;
  needs.arrivals = 3;
  EXPECT_DOUBLE_EQ(price_of().synchronisation_seconds, 2 * calibrated.synchronisation_seconds);
  EXPECT_DOUBLE_EQ(price_of().blocks_seconds, 2 * calibrated.blocks_seconds);
  EXPECT_DOUBLE_EQ(price_of().halo_seconds, 3 * calibrated.halo_seconds);
  needs = {};
  needs.row_accesses = 22;
  EXPECT_DOUBLE_EQ(price_of().unknowns_seconds, 1.75 * calibrated.unknowns_seconds);
}

TEST(PersistentPricer, ChargesLanesThatShareALongRow) {
  TrafficCase segment = small_case();
  const double before = price(segment).unknowns_seconds;
  // A lane takes 8 values of a row at least: 64 need 8 lanes.
  segment.pattern.longest_row = 64;
  EXPECT_NEAR(price(segment).unknowns_seconds - before,
              3 * example_parameters().persistent->doubling_seconds, 1e-15);
}

TEST(PersistentPricer, ChargesRoundsOfLoadsOfMatrixThatIsNotInSharedMemory) {
  const TrafficParameters parameters = example_parameters();
  TrafficCase segment = small_case();
  const TrafficPrice before = price(segment);
  // Half of its slices: each warp one, of 13 steps, 8 of which are loaded at once.
  PersistentExecution& execution = segment.execution.persistent;
  execution.resident_share = 0.5;
  execution.moved_bytes = execution.steps / 2 * 32 * (8 + 2);
  const double loads = 2 * parameters.persistent->load_seconds +
                       execution.moved_bytes / (giga * parameters.device.cache_read_gbps);
  EXPECT_NEAR(price(segment).seconds - before.seconds,
              std::hypot(before.blocks_seconds, loads) - before.blocks_seconds, 1e-9);
  EXPECT_GT(price(segment).moved_seconds, 0);
}

TEST(PersistentPricer, ChargesMemoryForWhatTheCacheLoses) {
  const TrafficParameters parameters = example_parameters();
  TrafficCase segment = small_case();
  PersistentExecution& execution = segment.execution.persistent;
  // As if rows were a million times as long: only the loads of matrix count.
  execution.resident_share = 0;
  execution.steps = 132 * 1e6;
  execution.moved_bytes = execution.steps * 32 * (8 + 2);
  const double seconds = price(segment).moved_seconds;
  const double memory = execution.moved_bytes / (giga * parameters.device.memory_read_gbps);
  const double loads = 1e6 / 3.125 / 8 * parameters.persistent->load_seconds;
  EXPECT_NEAR(seconds, memory + loads, 0.02 * seconds);
}

TEST(PersistentPricer, WaitsForTheSegmentWhoseVectorsHaveNoRoom) {
  const double spilled = example_parameters().persistent->spilled_seconds;
  TrafficCase segment = example_case(100'000'000);
  PersistentExecution& execution = segment.execution.persistent;
  execution = {.blocks = 100, .threads = 512, .fits = true, .steps = 5e8, .most_steps = 6e6};
  execution.resident_share = 0;
  const double matrix = 32 * (8 + 2);
  execution.moved_bytes = execution.steps * matrix;
  const double before = price(segment).moved_seconds;
  // All of its matrix, and no vector.
  execution.most_moved_bytes = execution.most_steps * matrix;
  EXPECT_DOUBLE_EQ(price(segment).moved_seconds, before);
  // Two vectors of its rows, read once.
  const double rows = 1e8 / 100;
  execution.most_moved_bytes += 2 * rows * 8;
  EXPECT_NEAR(price(segment).moved_seconds - before, rows / 512 * spilled, 1e-6 * before);
}

TEST(PersistentPricer, ChargesAWaitForEachRowWhoseVectorsComeFromMemory) {
  const TrafficParameters parameters = example_parameters();
  TrafficCase segment = example_case(100'000'000);
  PersistentExecution& execution = segment.execution.persistent;
  execution = {.blocks = 100, .threads = 512, .fits = true, .resident_share = 1};
  const double rows = 1e8 / 100 / 512;
  const auto moved = [&](double accesses) {
    execution.moved_bytes = accesses * 1e8 * 8;
    return price(segment).moved_seconds;
  };
  const auto expected = [&](double accesses, double waits) {
    return std::hypot(accesses * 1e8 * 8 / (giga * parameters.device.memory_read_gbps),
                      waits * rows * parameters.persistent->spilled_seconds);
  };
  // Two read once; then one, two and three more that are read and written.
  EXPECT_NEAR(moved(2), expected(2, 1), 0.01 * expected(2, 1));
  EXPECT_NEAR(moved(3), expected(3, 1.25), 0.01 * expected(3, 1.25));
  EXPECT_NEAR(moved(6), expected(6, 2), 0.01 * expected(6, 2));
  EXPECT_NEAR(moved(8), expected(8, 2), 0.01 * expected(8, 2));
}

TEST(PersistentPricer, TakesMoreByWhatThoseLikeItTook) {
  const TrafficCase segment = small_case();
  const PersistentPricer pricer(segment, Precision::f64, {});
  TrafficParameters parameters = example_parameters();
  const TrafficPrice terms = pricer.price(parameters);
  EXPECT_EQ(terms.residual_seconds, 0);
  EXPECT_EQ(terms.likeness, 1);
  const auto traits = pricer.persistent_traits(parameters);
  ASSERT_TRUE(traits);
  Residual residual;
  residual.mean = *traits;
  residual.range.assign(traits->size(), 1);
  residual.points = {{Traits(traits->size()), 0.1}};
  parameters.residuals["persistent"] = residual;
  const TrafficPrice price = pricer.price(parameters);
  EXPECT_DOUBLE_EQ(price.seconds, std::exp(0.1) * terms.seconds);
  EXPECT_NEAR(price.residual_seconds, price.seconds - terms.seconds, 1e-15);
  EXPECT_DOUBLE_EQ(price.halo_seconds, std::exp(0.1) * terms.halo_seconds);
  EXPECT_DOUBLE_EQ(price.seconds, price.synchronisation_seconds + price.blocks_seconds +
                                      price.unknowns_seconds + price.halo_seconds +
                                      price.moved_seconds);
  EXPECT_DOUBLE_EQ(price.likeness, 1);
  // Constants are fitted to the terms.
  EXPECT_DOUBLE_EQ(pricer.part_seconds(0, parameters), terms.seconds);
  // What looks up more of others is less like it.
  TrafficCase other = segment;
  other.execution.persistent.halo *= 20;
  other.execution.persistent.largest_halo *= 20;
  const TrafficPrice unlike = PersistentPricer(other, Precision::f64, {}).price(parameters);
  EXPECT_LT(unlike.likeness, 0.5);
  EXPECT_LT(unlike.residual_seconds / unlike.seconds, 0.5 * price.residual_seconds / price.seconds);
}

TEST(PersistentPricer, SaysByWhatIterationsAreAlike) {
  const auto trait = [](const TrafficCase& segment, Precision precision, PersistentTrait which) {
    const auto traits =
        PersistentPricer(segment, precision, {}).persistent_traits(example_parameters());
    return traits->at(static_cast<std::size_t>(which));
  };
  TrafficCase segment = small_case();
  const TrafficPrice terms = price(segment);
  const auto of = [&](PersistentTrait which) { return trait(segment, Precision::f64, which); };
  EXPECT_DOUBLE_EQ(of(PersistentTrait::seconds), std::log(terms.seconds));
  EXPECT_DOUBLE_EQ(of(PersistentTrait::halo_share), terms.halo_seconds / terms.seconds);
  EXPECT_DOUBLE_EQ(of(PersistentTrait::blocks_share), terms.blocks_seconds / terms.seconds);
  EXPECT_DOUBLE_EQ(of(PersistentTrait::steps), std::log1p(50.0 / 4));
  EXPECT_DOUBLE_EQ(of(PersistentTrait::value_bytes), std::log(8.0));
  EXPECT_DOUBLE_EQ(trait(segment, Precision::f32, PersistentTrait::value_bytes), std::log(4.0));
  EXPECT_EQ(of(PersistentTrait::clustered), 0);
  segment.execution.persistent.blocks = 8;
  segment.execution.persistent.clustered = true;
  EXPECT_EQ(of(PersistentTrait::clustered), 1);
}

TEST(PersistentPricer, RefusesAMatrixThatDoesNotFitAndParametersThatLackIt) {
  TrafficCase segment = small_case();
  TrafficParameters parameters = example_parameters();
  const PersistentPricer pricer(segment, Precision::f64, {});
  parameters.persistent_steps.clear();
  EXPECT_THROW(pricer.price(parameters), Error);
  parameters.persistent.reset();
  EXPECT_THROW(pricer.price(parameters), Error);
  segment.execution.persistent.fits = false;
  EXPECT_THROW(price(segment), Error);
}

}  // namespace
}  // namespace sparsecast
