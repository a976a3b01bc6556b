#include "model/paper/iteration_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast {
namespace {

IterationTime price_on_gtx280(double unknowns, double elements, int block, int devices,
                              CurveKind curve) {
  static const DeviceProfile profile = read_profile("gtx280");
  const std::string layout = block == 1 ? "csr" : "bcsr" + std::to_string(block);
  return price_iteration(algorithm1_schedule(),
                         equal_segments(unknowns, elements, block_layout(block), devices), profile,
                         Precision::f32, layout, curve);
}

/// A profile whose kernels all follow the latency-bandwidth law with this start-up time and speed.
DeviceProfile law_profile(double start_seconds, double gbps) {
  ThroughputCurve curve;
  curve.sigma = latency_bandwidth_sigma;
  curve.nu = gbps;
  curve.mu = std::log2(start_seconds * gbps * 1e9 / 8);
  DeviceProfile profile;
  profile.name = "law";
  for (const char* key : {"CG2", "CG3", "CG4", "CG5", "Red", "SpMV/csr"}) {
    profile.precisions[Precision::f64].curves[key] = {curve, curve, {}};
  }
  Link link;
  link.exchange = {curve, curve, {}};
  link.sync_seconds = 1e-5;
  profile.links[2] = link;
  return profile;
}

IterationTime price_on(const DeviceProfile& profile, std::vector<SegmentShape> segments) {
  return price_iteration(algorithm1_schedule(), segments, profile, Precision::f64, "csr",
                         CurveKind::average);
}

TEST(IterationTime, ReproducesThePapersDenseMatrixOfFiveMillionElements) {
  const double unknowns = 2236;
  const IterationTime time =
      price_on_gtx280(unknowns, unknowns * unknowns, 4, 1, CurveKind::maximum);
  EXPECT_NEAR(time.seconds, 494e-6, 0.5e-6);
  EXPECT_NEAR(time.flops / time.seconds / 1e9, 20.3, 0.05);
}

TEST(IterationTime, MakesNd24kOnTwoGpusOneAndAHalfToOneAndThreeQuarterTimesAsFast) {
  const double elements = 28715634 / 0.73;  // Table 5
  for (const CurveKind curve : {CurveKind::average, CurveKind::maximum}) {
    const double one = price_on_gtx280(72000, elements, 4, 1, curve).seconds;
    const double two = price_on_gtx280(72000, elements, 4, 2, curve).seconds;
    EXPECT_GT(one / two, 1.5);
    EXPECT_LT(one / two, 1.75);
  }
}

TEST(IterationTime, MakesTwoGpusSlowerThanOneForSmallMatrices) {
  for (const double unknowns : {100.0, 1000.0, 10000.0}) {
    const double elements = 10 * unknowns;
    EXPECT_LT(price_on_gtx280(unknowns, elements, 4, 1, CurveKind::maximum).seconds,
              price_on_gtx280(unknowns, elements, 4, 2, CurveKind::maximum).seconds)
        << unknowns;
  }
}

/// Elements at x = 10^4 from which on two GPUs are faster than one.
double elements_of_no_speedup(int block, CurveKind curve) {
  double slower = 1e6;
  double faster = 1e7;
  while (faster / slower > 1 + 1e-9) {
    const double middle = std::sqrt(slower * faster);
    const bool speeds_up = price_on_gtx280(1e4, middle, block, 2, curve).seconds <
                           price_on_gtx280(1e4, middle, block, 1, curve).seconds;
    (speeds_up ? faster : slower) = middle;
  }
  return faster;
}

TEST(IterationTime, GivesTheNumbersOfTwoGpusThatTheModelPageHolds) {
  const double densities[] = {1, 0.84, 0.73};  // of nd24k, Table 5
  std::string raw = "| nd24k, raw GFlop/s |";
  std::string line = "| S = 1 at x = 10^4: elements |";
  for (const int block : {1, 2, 4}) {
    const double elements = 28715634 / densities[block / 2];
    for (const CurveKind curve : {CurveKind::average, CurveKind::maximum}) {
      const IterationTime time = price_on_gtx280(72000, elements, block, 2, curve);
      char text[40];
      std::snprintf(text, sizeof text, " %.1f |", time.flops / time.seconds / 1e9);
      raw += text;
      std::snprintf(text, sizeof text, " %.2fe6 |", elements_of_no_speedup(block, curve) / 1e6);
      line += text;
    }
  }
  const std::string page = read_file(SPARSECAST_SOURCE_DIR "/docs/model.md");
  EXPECT_NE(page.find(raw + '\n'), std::string::npos) << raw;
  EXPECT_NE(page.find(line + '\n'), std::string::npos) << line;
}

TEST(IterationTime, IsTheSumOfEquationSix) {
  const DeviceProfile profile = law_profile(1e-6, 100);
  const double x = 12345;
  const double e = 98765;
  const IterationTime time = price_on(profile, equal_segments(x, e, {}, 1));
  const double bytes = 8 * (2 * e + (2 + 3 + 9 + 6) * x + 3 * x);
  EXPECT_NEAR(time.seconds, 8 * 1e-6 + bytes / 100e9, 1e-12);
  EXPECT_NEAR(time.parts.spmv, 1e-6 + 8 * 2 * e / 100e9, 1e-12);
  EXPECT_NEAR(time.parts.vector_kernels, 4e-6 + 8 * 20 * x / 100e9, 1e-12);
  EXPECT_NEAR(time.parts.reductions, 3e-6 + 8 * 3 * x / 100e9, 1e-12);
  EXPECT_EQ(time.parts.exchange, 0);
  EXPECT_EQ(time.parts.synchronisation, 0);
}

TEST(IterationTime, CountsTheFlopsOfEquationEight) {
  const double x = 777;
  const double e = 5432;
  const DeviceProfile profile = law_profile(1e-6, 100);
  EXPECT_DOUBLE_EQ(price_on(profile, equal_segments(x, e, {}, 1)).flops, 2 * e + 15 * x);
  EXPECT_NEAR(price_on(profile, equal_segments(x, e, {}, 2)).flops, iteration_flops(x, e), 1e-9);
  EXPECT_DOUBLE_EQ(iteration_flops(x, e, 0.5), e + 15 * x);
}

TEST(IterationTime, AddsExchangeAndFourSynchronisationsForSeveralDevices) {
  const DeviceProfile profile = law_profile(1e-6, 100);
  const double x = 40000;
  const IterationTime two = price_on(profile, equal_segments(x, 9 * x, {}, 2));
  const IterationTime half = price_on(profile, equal_segments(x / 2, 9 * x / 2, {}, 1));
  EXPECT_NEAR(two.parts.exchange, 1e-6 + 8 * 2 * x / 100e9, 1e-12);  // staged: x * n
  EXPECT_NEAR(two.parts.synchronisation, 4e-5, 1e-15);
  EXPECT_NEAR(two.seconds, half.seconds + two.parts.exchange + 4e-5, 1e-12);
}

TEST(IterationTime, ExchangesTheVectorOnceBetweenPeers) {
  DeviceProfile profile = law_profile(1e-6, 100);
  profile.links[2].law = ExchangeLaw::peer;
  const double x = 40000;
  const IterationTime two = price_on(profile, equal_segments(x, 9 * x, {}, 2));
  EXPECT_NEAR(two.parts.exchange, 1e-6 + 8 * x / 100e9, 1e-12);
}

TEST(IterationTime, WaitsForTheSlowestSegment) {
  const DeviceProfile profile = law_profile(1e-6, 100);
  std::vector<SegmentShape> uneven = equal_segments(20000, 200000, {}, 2);
  uneven[0].elements = 50000;
  uneven[1].elements = 150000;
  std::vector<SegmentShape> both_slow = uneven;
  both_slow[0].elements = 150000;
  EXPECT_DOUBLE_EQ(price_on(profile, uneven).seconds, price_on(profile, both_slow).seconds);
}

TEST(IterationTime, GivesGroupsOnOneBusNoSpeedup) {
  DeviceProfile profile = law_profile(1e-6, 100);
  profile.links[2].shared_bus = true;
  profile.links[2].sync_seconds = 0;
  const IterationTime one = price_on(profile, equal_segments(40000, 360000, {}, 1));
  const IterationTime two = price_on(profile, equal_segments(40000, 360000, {}, 2));
  EXPECT_NEAR(two.seconds - two.parts.exchange, one.seconds, 1e-15);
}

TEST(IterationTime, SaysWhichStepLiesOutsideTheCalibratedRange) {
  DeviceProfile profile = law_profile(1e-6, 100);
  FitQuality quality;
  quality.elements_min = 1e4;
  quality.elements_max = 1e6;
  profile.precisions[Precision::f64].curves["CG4"].quality = quality;
  EXPECT_TRUE(price_on(profile, equal_segments(2000, 1e7, {}, 1)).warnings.empty());
  const auto below = price_on(profile, equal_segments(100, 1e7, {}, 1)).warnings;
  ASSERT_EQ(below.size(), 1u);
  EXPECT_EQ(below[0],
            "CG4: 9e+02 transferred elements lie below the calibrated range, 1e+04 to 1e+06");
  const auto above = price_on(profile, equal_segments(1e6, 1e7, {}, 2)).warnings;
  ASSERT_EQ(above.size(), 1u);  // once, though both segments are concerned
  EXPECT_NE(above[0].find("above"), std::string::npos);
}

TEST(IterationTime, SaysWhereTheNearestLinkStandsForAnother) {
  const auto four = price_on_gtx280(1e6, 1e7, 4, 4, CurveKind::average).warnings;
  ASSERT_EQ(four.size(), 1u);
  EXPECT_TRUE(four[0].starts_with("extrapolated")) << four[0];
  EXPECT_TRUE(price_on_gtx280(1e6, 1e7, 4, 2, CurveKind::average).warnings.empty());
}

TEST(IterationTime, PricesASegmentWithoutRows) {
  const DeviceProfile profile = law_profile(1e-6, 100);
  std::vector<SegmentShape> segments = equal_segments(1, 1, {}, 1);
  segments.push_back({0, 1, 0, 0, 0});
  EXPECT_TRUE(std::isfinite(price_on(profile, segments).seconds));
}

TEST(IterationTime, NamesWhatTheProfileLacks) {
  const DeviceProfile gtx280 = read_profile("gtx280");
  const auto price = [&](Precision precision, const std::string& layout, const DeviceProfile& on,
                         int devices) {
    try {
      price_iteration(algorithm1_schedule(), equal_segments(100, 500, {}, devices), on, precision,
                      layout, CurveKind::average);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(price(Precision::f64, "csr", gtx280, 1),
            "profile 'gtx280' has no precision f64; it has f32");
  EXPECT_NE(price(Precision::f32, "bcsr3", gtx280, 1).find("'SpMV/bcsr3'"), std::string::npos);
  DeviceProfile alone = law_profile(1e-6, 100);
  alone.links.clear();
  EXPECT_NE(price(Precision::f64, "csr", alone, 2).find("no links"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast
