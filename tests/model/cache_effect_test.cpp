#include "model/cache_effect.hpp"

#include <gtest/gtest.h>

#include <span>

#include "core/schedule/cg_schedule.hpp"
#include "model/paper/iteration_time.hpp"
#include "model/profile/device_profile.hpp"
#include "model/profile/profile_json.hpp"
#include "model/working_set.hpp"

namespace sparsecast {
namespace {

TEST(CacheEffect, MissesHalfOfTheTrafficAtItsCapacity) {
  const CacheEffect cache{32e6, 4};
  EXPECT_DOUBLE_EQ(missing_share(cache, 32e6), 0.5);
  EXPECT_LT(missing_share(cache, 8e6), 0.01);
  EXPECT_GT(missing_share(cache, 128e6), 0.99);
  EXPECT_EQ(missing_share(cache, 0), 0);
}

TEST(CacheEffect, CostsMemoryThroughputForWhatMisses) {
  const ThroughputCurve curve{10, latency_bandwidth_sigma, 100, 20};
  const double hit = kernel_seconds(curve, 1e6, 8);
  EXPECT_EQ(kernel_seconds(curve, 1e6, 8, 0), hit);
  // The latency-bandwidth law with memory throughput in place of nu.
  EXPECT_NEAR(kernel_seconds(curve, 1e6, 8, 1), fixed_seconds(curve, 8) + 8e6 / 20e9, 1e-12);
}

TEST(CacheEffect, IsNothingForCurvesWithoutMemory) {
  const ThroughputCurve curve{10, 1.5, 100};
  EXPECT_EQ(kernel_seconds(curve, 1e6, 8, 1), kernel_seconds(curve, 1e6, 8));
}

TEST(CacheEffect, CountsTheWorkingSetOfAlgorithm1) {
  SegmentShape shape;
  shape.unknowns = shape.total_unknowns = 1000;
  shape.elements = 16 * 700;
  shape.blocks = 700;
  shape.block_rows = 250;
  // v_part, v, u, c, x, r, w, t1, t2 and t3; b is not touched in iterations.
  const double vectors = 10 * 1000 * 8;
  EXPECT_DOUBLE_EQ(working_set_bytes(algorithm1_schedule(), shape, Precision::f64),
                   vectors + 16 * 700 * 8 + 700 * 4 + 250 * 8);
}

TEST(CacheEffect, SlowsIterationsWhoseWorkingSetDoesNotFit) {
  DeviceProfile profile;
  profile.name = "p";
  const ThroughputCurve curve{8, latency_bandwidth_sigma, 100, 10};
  auto& curves = profile.precisions[Precision::f64].curves;
  for (const char* key : {"CG1", "CG2", "CG3", "CG4", "CG5", "Red", "SpMV/csr"}) {
    curves[key] = {curve, curve, {}};
  }
  const auto seconds = [&profile](double unknowns) {
    SegmentShape shape;
    shape.unknowns = shape.total_unknowns = shape.block_rows = unknowns;
    shape.elements = shape.blocks = 7 * unknowns;
    return price_iteration(algorithm1_schedule(), std::span(&shape, 1), profile, Precision::f64,
                           "csr", CurveKind::average)
        .seconds;
  };
  const double small = seconds(1e4);
  const double large = seconds(1e7);
  profile.cache = CacheEffect{32e6, 8};
  EXPECT_NEAR(seconds(1e4) / small, 1, 1e-6);
  EXPECT_NEAR(seconds(1e7) / large, 10, 0.01);
}

TEST(CacheEffect, IsKeptInProfiles) {
  DeviceProfile profile;
  profile.name = "p";
  profile.device = "a CPU";
  profile.precisions[Precision::f64].curves["CG3"] = {{8, 1.5, 100, 10}, {8, 1.5, 120, 12}, {}};
  profile.cache = CacheEffect{32e6, 4};
  const DeviceProfile back = parse_profile(profile_to_json(profile), "p");
  ASSERT_TRUE(back.cache);
  EXPECT_EQ(back.cache->capacity_bytes, 32e6);
  EXPECT_EQ(back.curve(Precision::f64, "CG3").maximum.memory_nu, 12);
}

}  // namespace
}  // namespace sparsecast
