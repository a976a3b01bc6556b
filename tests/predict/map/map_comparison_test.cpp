#include "predict/map/map_comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "predict/map/map_comparison_json.hpp"
#include "predict/predict_numbers.hpp"

namespace sparsecast {
namespace {

/// A GPU whose kernels each cost `start_seconds` and then run at `gbps`.
DeviceProfile law_profile(const std::string& name, double start_seconds, double gbps) {
  const ThroughputCurve curve{std::log2(start_seconds * gbps * 1e9 / 8), latency_bandwidth_sigma,
                              gbps};
  DeviceProfile profile;
  profile.name = name;
  for (const char* key : {"CG2", "CG3", "CG4", "CG5", "Red", "SpMV/csr"}) {
    profile.precisions[Precision::f64].curves[key] = {curve, curve, {}};
  }
  return profile;
}

/// One that starts quickly, and one that is fast for what is large.
std::vector<DeviceProfile> two_profiles() {
  return {law_profile("quick", 1e-6, 100), law_profile("wide", 1e-5, 1000)};
}

ComparisonRequest small_request() {
  ComparisonRequest request;
  request.columns = 12;
  request.rows = 14;
  return request;
}

TEST(ThreadedMapComparison, NamesTheFastestAtEachSizeAndByHowMuch) {
  const std::vector<DeviceProfile> profiles = two_profiles();
  const ComparisonRequest request = small_request();
  const MapComparison comparison = compare_profiles(profiles, request);
  ASSERT_EQ(comparison.compared.size(), 12u * 14u);
  EXPECT_EQ(comparison.profiles, (std::vector<std::string>{"quick", "wide"}));
  int matrices = 0;
  for (std::size_t row = 0; row < comparison.elements.size(); ++row) {
    for (std::size_t column = 0; column < comparison.unknowns.size(); ++column) {
      const double x = comparison.unknowns[column];
      const double e = comparison.elements[row];
      const PlaceComparison& place = comparison.compared[comparison.place(row, column)];
      ASSERT_EQ(place.seconds.empty(), e < x || e > x * x) << x << ' ' << e;
      if (place.seconds.empty()) continue;
      ++matrices;
      const double quick = *place.seconds[0];
      const double wide = *place.seconds[1];
      EXPECT_EQ(place.fastest, quick <= wide ? 0u : 1u) << x << ' ' << e;
      EXPECT_EQ(place.second, quick <= wide ? 1u : 0u);
      EXPECT_NEAR(*place.margin, std::max(quick, wide) / std::min(quick, wide) - 1, 1e-12);
    }
  }
  EXPECT_GT(matrices, 30);
  const PlaceComparison small = compare_at(profiles, request, 1e2, 1e3);
  const PlaceComparison large = compare_at(profiles, request, 1e7, 1e9);
  EXPECT_EQ(small.fastest, 0u);
  EXPECT_EQ(large.fastest, 1u);
  EXPECT_NEAR(*large.margin, 9, 0.1);

  const std::vector<ComparisonShare> shares = shares_of(comparison);
  EXPECT_NEAR(shares[0].fastest + shares[1].fastest, 1, 1e-12);
  EXPECT_GT(shares[0].fastest, 0.1);
  EXPECT_GT(shares[1].fastest, 0.1);
  EXPECT_GT(*shares[1].largest_margin, 8);
  EXPECT_EQ(shares[0].too_small, 0);
}

TEST(MapComparison, IsThatOfPredictionsFromNumbers) {
  const std::vector<DeviceProfile> profiles = two_profiles();
  const PlaceComparison place = compare_at(profiles, small_request(), 1e5, 3e6);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    EXPECT_EQ(place.seconds[i],
              predict_numbers(1e5, 3e6, {}, profiles[i], {})[0].seconds_per_iteration);
  }
}

TEST(MapComparison, LeavesOutDevicesThatDoNotHoldTheMatrix) {
  std::vector<DeviceProfile> profiles = two_profiles();
  profiles[1].memory_bytes = 1 << 20;
  const PlaceComparison place = compare_at(profiles, small_request(), 1e6, 1e8);
  EXPECT_FALSE(place.seconds[1]);
  EXPECT_EQ(place.fastest, 0u);
  EXPECT_FALSE(place.second);
  EXPECT_FALSE(place.margin);
  profiles[0].memory_bytes = 1 << 20;
  EXPECT_FALSE(compare_at(profiles, small_request(), 1e6, 1e8).fastest);
  const std::vector<ComparisonShare> shares =
      shares_of(compare_profiles(profiles, small_request()));
  EXPECT_GT(shares[0].too_small, 0.3);
  EXPECT_LT(shares[0].fastest + shares[1].fastest, 0.7);
}

TEST(MapComparison, WritesNullWhereNoMatrixIs) {
  const std::vector<DeviceProfile> profiles = two_profiles();
  ComparisonRequest request = small_request();
  request.columns = request.rows = 2;
  request.unknowns_min = 1e2;
  request.unknowns_max = 1e4;
  request.elements_min = 1e3;
  request.elements_max = 1e6;
  const MapComparison comparison = compare_profiles(profiles, request);
  const std::vector<ComparedPoint> points{
      {"small", 100, 1000, compare_at(profiles, request, 100, 1000)}};
  const std::string json = to_json(comparison, profiles, points).text();
  EXPECT_NE(json.find(R"("fastest":[["quick",null],[null,"wide"]],"margin":[[)"), std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("points":[{"name":"small","unknowns":100.0,"elements":1000.0,)"
                      R"("fastest":"quick","margin":)"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("estimated":false,"model":"paper"})"), std::string::npos) << json;
}

TEST(MapComparison, RefusesWhatCannotBeCompared) {
  const std::vector<DeviceProfile> profiles = two_profiles();
  EXPECT_THROW(compare_profiles(std::span(profiles).first(1), small_request()), Error);
  ComparisonRequest request = small_request();
  request.precision = Precision::f32;
  EXPECT_THROW(compare_profiles(profiles, request), Error);
  request = small_request();
  request.devices = 2;  // no links
  EXPECT_THROW(compare_profiles(profiles, request), Error);
  request = small_request();
  request.columns = 1;
  EXPECT_THROW(compare_profiles(profiles, request), Error);
}

}  // namespace
}  // namespace sparsecast
