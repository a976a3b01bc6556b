#include "calibrate/fit/traffic_samples.hpp"

#include <gtest/gtest.h>

#include "calibrate/fit/shipped_samples.hpp"

namespace sparsecast {
namespace {

TEST(TrafficSamples, PassesOverWhatTheModelDoesNotPrice) {
  for (const Sample& sample : some_samples(7).samples) {
    const auto point = traffic_point(sample);
    if (is_preparation(sample.kernel) || sample.kernel.starts_with("Load/") ||
        !sample.exchange.empty()) {
      EXPECT_FALSE(point) << sample.kernel;
    } else if (sample.kernel == "Iteration") {
      ASSERT_TRUE(point) << sample.matrix;
      EXPECT_EQ(to_string(point->launch), sample.launch);
      EXPECT_EQ(point->seconds, sample.seconds);
    }
  }
}

TEST(TrafficSamples, KeepsProductsOfAQuarterOfTheMatricesFromTheFit) {
  int products = 0;
  int held_out = 0;
  for (const Sample& sample : some_samples(1).samples) {
    if (sample.kernel != "SpMV") continue;
    ++products;
    held_out += is_held_out_of_traffic(sample) ? 1 : 0;
    if (sample.held_out) {
      EXPECT_TRUE(is_held_out_of_traffic(sample));
    }
  }
  EXPECT_GT(held_out, products / 8);
  EXPECT_LT(held_out, products / 2);
}

}  // namespace
}  // namespace sparsecast
