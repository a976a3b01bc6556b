#include "predict/map/performance_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "core/refusal.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast {
namespace {

/// The paper's Figure 8: 4 x 4 blocks on one or two GTX280.
MapRequest figure_8(MapQuantity quantity, CurveKind curve) {
  MapRequest request;
  request.quantity = quantity;
  request.devices = 2;
  request.layout = block_layout(4);
  request.precision = Precision::f32;
  request.curve = curve;
  request.columns = 60;
  request.rows = 50;
  return request;
}

const DeviceProfile& gtx280() {
  static const DeviceProfile profile = read_profile("gtx280");
  return profile;
}

TEST(ThreadedPerformanceMap, LiesBetweenTheBlockDiagonalAndTheDenseLimit) {
  const PerformanceMap map =
      compute_map(gtx280(), figure_8(MapQuantity::speedup, CurveKind::maximum));
  int inside = 0;
  for (std::size_t row = 0; row < map.elements.size(); ++row) {
    for (std::size_t column = 0; column < map.unknowns.size(); ++column) {
      const double x = map.unknowns[column];
      const double e = map.elements[row];
      const bool matrix_exists = e >= 4 * x && e <= x * x;
      EXPECT_EQ(std::isnan(map.value(row, column)), !matrix_exists) << x << ' ' << e;
      inside += matrix_exists ? 1 : 0;
    }
  }
  EXPECT_GT(inside, 500);
}

TEST(ThreadedPerformanceMap, IsOfAPartOfThePlaneThatHasMatrices) {
  MapRequest sparse = figure_8(MapQuantity::raw, CurveKind::average);
  sparse.unknowns_min = 1e6;
  sparse.elements_max = 1e5;
  EXPECT_EQ(refusal_of([&] { compute_map(gtx280(), sparse); }),
            "map: no matrix is there: one of 1e+06 unknowns or more has 4e+06 elements or more, "
            "not up to 1e+05");
  MapRequest dense = figure_8(MapQuantity::raw, CurveKind::average);
  dense.unknowns_max = 1e3;
  dense.elements_min = 1e7;
  EXPECT_EQ(refusal_of([&] { compute_map(gtx280(), dense); }),
            "map: no matrix is there: one of up to 1e+03 unknowns has up to 1e+06 elements, not "
            "1e+07 or more");
}

TEST(ThreadedPerformanceMap, HasLogarithmicAxesFromEndToEnd) {
  const PerformanceMap map = compute_map(gtx280(), figure_8(MapQuantity::raw, CurveKind::average));
  ASSERT_EQ(map.unknowns.size(), 60u);
  ASSERT_EQ(map.elements.size(), 50u);
  EXPECT_DOUBLE_EQ(map.unknowns.front(), 1e2);
  EXPECT_NEAR(map.unknowns.back(), 1e7, 1e-2);
  EXPECT_DOUBLE_EQ(map.elements.front(), 1e3);
  EXPECT_NEAR(map.elements.back(), 1e9, 1);
  EXPECT_NEAR(map.unknowns[10] / map.unknowns[9], map.unknowns[50] / map.unknowns[49], 1e-9);
}

TEST(ThreadedPerformanceMap, HoldsThePriceOfAnIterationAtEachPlace) {
  const MapRequest request = figure_8(MapQuantity::raw, CurveKind::average);
  const PerformanceMap map = compute_map(gtx280(), request);
  const std::size_t row = 35;
  const std::size_t column = 30;
  const double x = map.unknowns[column];
  const double e = map.elements[row];
  const IterationTime time =
      price_iteration(algorithm1_schedule(), equal_segments(x, e, block_layout(4), 2), gtx280(),
                      Precision::f32, "bcsr4", CurveKind::average);
  EXPECT_NEAR(map.value(row, column), time.flops / time.seconds / 1e9, 1e-9);
  EXPECT_NEAR(map_value(gtx280(), request, x, e), map.value(row, column), 1e-12);
}

TEST(ThreadedPerformanceMap, ShowsThePapersSpeedups) {
  for (const CurveKind curve : {CurveKind::average, CurveKind::maximum}) {
    const MapRequest request = figure_8(MapQuantity::speedup, curve);
    EXPECT_LT(map_value(gtx280(), request, 1e3, 1e5), 1);
    EXPECT_GT(map_value(gtx280(), request, 72000, 28715634 / 0.73), 1.5);
    const PerformanceMap map = compute_map(gtx280(), request);
    EXPECT_LT(map.smallest, 1);
    EXPECT_GT(map.largest, 1.5);
    EXPECT_LT(map.largest, 2);  // section 6.3: 2 is practically impossible
  }
}

TEST(ThreadedPerformanceMap, ScalesSpmvFlopsByTheDensityForEffectivePerformance) {
  MapRequest request = figure_8(MapQuantity::effective, CurveKind::average);
  const double x = 1e4;
  const double e = 1e6;
  const double whole = map_value(gtx280(), request, x, e);
  request.block_density = 0.25;
  const double quarter = map_value(gtx280(), request, x, e);
  EXPECT_NEAR(quarter / whole, (0.25 * 2 * e + 15 * x) / (2 * e + 15 * x), 1e-12);
  request.quantity = MapQuantity::raw;
  EXPECT_NEAR(map_value(gtx280(), request, x, e), whole, 1e-12);
}

TEST(ThreadedPerformanceMap, TellsHowMuchIsDoneAndCanBeEnded) {
  const MapRequest request = figure_8(MapQuantity::raw, CurveKind::average);
  std::vector<double> shares;
  compute_map(gtx280(), request, [&](double done) { shares.push_back(done); });
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  ASSERT_GT(shares.size(), 10u);
  EXPECT_EQ(shares.front(), 0);
  EXPECT_EQ(shares.back(), 1);

  int calls = 0;
  const auto stop = [&](double) {
    if (++calls == 3) throw Error("enough");
  };
  EXPECT_THROW(compute_map(gtx280(), request, stop), Error);
  EXPECT_EQ(calls, 3);
}

TEST(ThreadedPerformanceMap, RefusesRequestsOutOfRange) {
  const MapRequest good = figure_8(MapQuantity::effective, CurveKind::average);
  MapRequest bad = good;
  bad.block_density = 0;
  EXPECT_THROW(compute_map(gtx280(), bad), Error);
  bad = good;
  bad.unknowns_max = bad.unknowns_min;
  EXPECT_THROW(compute_map(gtx280(), bad), Error);
  bad = good;
  bad.rows = 1;
  EXPECT_THROW(compute_map(gtx280(), bad), Error);
  bad = good;
  bad.precision = Precision::f64;
  EXPECT_THROW(compute_map(gtx280(), bad), Error);
  bad = good;
  bad.layout = {"bcsr", 5, RowOrder::natural};
  EXPECT_THROW(compute_map(gtx280(), bad), Error);
}

}  // namespace
}  // namespace sparsecast
