#include "calibrate/fit/plain_regression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "calibrate/fit/shipped_samples.hpp"
#include "calibrate/measure/measured_schedules.hpp"
#include "core/base/error.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

double forecast(const PlainRegression& regression, const Sample& sample) {
  const Schedule schedule = schedule_to_measure(sample.kernel, sample.schedule);
  return regression
      .seconds({schedule, sample.launch, parse_layout(sample.layout), sample.shape, sample.nonzeros,
                *sample.access, sample.precision})
      .value_or(0);
}

bool is_vendor_graph(const Sample& sample) {
  return sample.schedule == "vendor" && sample.launch == "graph";
}

TEST(PlainRegression, ForecastsSamplesThatItHasNotSeen) {
  std::vector<Sample> seen;
  std::vector<Sample> others;
  for (const Sample& sample : some_samples(1).samples) {
    if (is_vendor_graph(sample))
      (seen.size() > 2 * others.size() ? others : seen).push_back(sample);
  }
  ASSERT_GT(others.size(), 50u);
  const PlainRegression regression(seen);

  double sum = 0;
  for (const Sample& sample : others) {
    sum += std::abs(forecast(regression, sample) / sample.seconds - 1);
  }
  EXPECT_LT(sum / static_cast<double>(others.size()), 0.08);
}

TEST(PlainRegression, KnowsOnlySolversAndLaunchModesThatWereMeasured) {
  std::vector<Sample> seen;
  std::vector<Sample> unseen;
  for (const Sample& sample : some_samples(10).samples) {
    if (is_vendor_graph(sample)) seen.push_back(sample);
    if (sample.schedule == "fused" && sample.launch == "graph" && sample.devices == 1) {
      unseen.push_back(sample);
    }
  }
  ASSERT_FALSE(unseen.empty());
  const PlainRegression regression(seen);

  EXPECT_GT(forecast(regression, seen.front()), 0);
  EXPECT_EQ(forecast(regression, unseen.front()), 0);
}

TEST(PlainRegression, CountsNineThings) {
  const Schedule schedule = schedule_to_measure("SpMV");
  SegmentShape shape{100, 100, 400, 100, 50, 4, 8};
  AccessPattern access;
  access.sector_lookups[33] = 25;
  access.row_deviation = 2;

  const Traits counts =
      plain_counts({schedule, "graph", block_layout(2), shape, 250, access, Precision::f32});

  const std::vector<double> expected{100, 250, 4 * 400 + 4 * 100 + 8 * 50, 4 * 200, 1, 2, 4,
                                     2,   0.1};
  ASSERT_EQ(counts.size(), expected.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_NEAR(std::exp(counts[i]), expected[i], 1e-9 * expected[i]) << i;
  }
}

TEST(PlainRegression, NeedsAnIterationOrAProduct) {
  EXPECT_THROW(PlainRegression({}), Error);
}

}  // namespace
}  // namespace sparsecast
