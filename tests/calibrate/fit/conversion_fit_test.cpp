#include "calibrate/fit/conversion_fit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
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

/// Of matrices from 1e4 to 1e7 nonzeros with rows of 5 to 25, all on a GPU's host.
std::vector<Sample> gpu_conversions() {
  std::vector<Sample> samples(31);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].nonzeros = 1e4 * std::pow(10, static_cast<double>(i) / 10);
    samples[i].shape.elements = samples[i].nonzeros * (1 + 0.3 * static_cast<double>(i % 4));
    samples[i].shape.unknowns = samples[i].nonzeros / (5 + 5 * static_cast<double>(i % 5));
  }
  return samples;
}

TEST(Conversion, OfAGpuIsAConstantAndStoredElements) {
  std::vector<Sample> samples = gpu_conversions();
  for (Sample& sample : samples) sample.seconds = 5e-5 + 7e-11 * sample.shape.elements;
  samples[20].seconds = 1;  // waited for memory
  const auto cost = fit_gpu_conversion(samples, false);
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->seconds, 5e-5, 1e-6);
  EXPECT_NEAR(cost->seconds_per_element, 7e-11, 2e-12);
  EXPECT_EQ(cost->seconds_per_nonzero, 0);
  EXPECT_FALSE(fit_gpu_conversion(std::span(samples).first(20), false));
}

TEST(Conversion, ForAPersistentKernelIsOfNonzerosRowsAndHalos) {
  std::vector<Sample> samples = gpu_conversions();
  constexpr std::array halos{0.1, 3.0, 0.7, 1.5, 5.0};
  std::size_t number = 0;
  for (Sample& sample : samples) {
    const double halo = halos[number++ % halos.size()] * sample.shape.unknowns;
    sample.execution.emplace().persistent.halo = halo;
    sample.seconds = 2e-4 + 3e-9 * sample.nonzeros + 9e-9 * sample.shape.unknowns + 6e-9 * halo;
    sample.kernel = "Convert";
    sample.layout = "csr";
    sample.launch = "persistent";
  }
  samples[25].seconds = 1;
  Sample alone = samples[30];
  alone.launch = "graph";
  samples.push_back(alone);
  const auto costs = fit_conversions(samples, Precision::f64, DeviceProfile::Kind::gpu);
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_TRUE(costs.contains("csr"));
  const ConversionCost& cost = costs.at("csr/persistent");
  EXPECT_NEAR(cost.seconds, 2e-4, 4e-6);
  EXPECT_NEAR(cost.seconds_per_nonzero, 3e-9, 1e-10);
  EXPECT_NEAR(cost.seconds_per_row, 9e-9, 5e-10);
  EXPECT_EQ(cost.seconds_per_element, 0);
  EXPECT_NEAR(cost.seconds_per_halo, 6e-9, 3e-10);
  EXPECT_NEAR(cost.of(1e6, 2e6, 1e5, 2e5), 2e-4 + 3e-3 + 9e-4 + 1.2e-3, 1e-4);
}

}  // namespace
}  // namespace sparsecast
