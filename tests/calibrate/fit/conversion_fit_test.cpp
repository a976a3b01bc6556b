#include "calibrate/fit/conversion_fit.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

namespace sparsecast {
namespace {

TEST(Conversion, TellsNonzerosAndElementsApart) {
  std::vector<Sample> samples;
  for (int i = 1; i <= 10; ++i) {
    Sample sample;
    sample.nonzeros = 1e6 * i;
    sample.shape.elements = sample.nonzeros * (1 + 0.3 * (i % 4));
    sample.seconds = 3e-9 * sample.nonzeros + 1e-9 * sample.shape.elements;
    samples.push_back(sample);
  }
  const auto cost = fit_conversion(samples);
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->seconds_per_nonzero, 3e-9, 1e-13);
  EXPECT_NEAR(cost->seconds_per_element, 1e-9, 1e-13);
}

TEST(Conversion, IsNeverNegative) {
  std::vector<Sample> samples;
  for (int i = 1; i <= 10; ++i) {
    Sample sample;
    sample.nonzeros = 1e6 * i;
    sample.shape.elements = sample.nonzeros * (1 + 0.3 * (i % 4));
    sample.seconds = 4e-9 * sample.shape.elements - 1e-9 * sample.nonzeros;
    samples.push_back(sample);
  }
  const auto cost = fit_conversion(samples);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->seconds_per_nonzero, 0);
  EXPECT_GT(cost->seconds_per_element, 0);
}

TEST(Conversion, TakesTheTypicalConversionOfAGpu) {
  std::vector<Sample> samples(9);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].nonzeros = 1e6 * static_cast<double>(i);
    samples[i].shape.elements = 2 * samples[i].nonzeros;
    samples[i].seconds = 1e-4 + 1e-11 * samples[i].shape.elements;
  }
  samples[4].seconds = 1;
  EXPECT_NEAR(typical_conversion(samples)->seconds_per_element, 2e-11, 1e-11);
  EXPECT_FALSE(typical_conversion(std::span(samples).first(2)));
}

}  // namespace
}  // namespace sparsecast
