#include "calibrate/fit/link_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/workload/exchange_mode.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast {
namespace {

Sample sample_of(const char* kernel, int devices, double unknowns, double seconds,
                 std::string_view exchange) {
  Sample sample;
  sample.kernel = kernel;
  sample.launch = "graph";
  sample.devices = devices;
  sample.exchange = exchange;
  sample.shape.unknowns = unknowns;
  sample.elements = unknowns / 2;
  sample.seconds = seconds;
  sample.stable = true;
  sample.repeats = sample.rounds = 5;
  return sample;
}

TEST(LinkFit, CurvesOfExchangesAloneFollowTheirLaw) {
  std::vector<Sample> samples;
  for (int i = 0; i < 12; ++i) {
    const double x = 1e3 * std::pow(10, 0.4 * i);
    samples.push_back(sample_of("Exchange", 2, x, 8e-6 + 8 * x / 2 / 3e11, "peer"));
  }
  samples.push_back(sample_of("Barrier", 2, 64, 3e-6, "peer"));
  const GpuLinks links = fit_gpu_links(samples, std::nullopt);
  ASSERT_TRUE(links.links.contains(2));
  const Link& link = links.links.at(2);
  EXPECT_EQ(link.law, ExchangeLaw::ingress);
  EXPECT_NEAR(link.exchange.average.nu, 300, 15);
  EXPECT_DOUBLE_EQ(link.sync_seconds, 3e-6);
  EXPECT_TRUE(link.curves.contains("f64/peer"));
  EXPECT_FALSE(link.curves.contains("f64/staged"));
  EXPECT_FALSE(link.costs.has_value());
}

TEST(LinkFit, OfTheShippedSamplesIsTheShippedLink) {
  const std::filesystem::path profiles = std::filesystem::path(SPARSECAST_SOURCE_DIR) / "profiles";
  const DeviceProfile profile = read_profile((profiles / "nvidia-h200.json").string());
  const SampleFile file = read_samples(profiles / "nvidia-h200.samples.csv.gz");
  const GpuLinks fitted = fit_gpu_links(file.samples, profile.traffic);
  const LinkCosts& expected = profile.link(2).costs.value();
  const LinkCosts& costs = fitted.links.at(2).costs.value();
  EXPECT_NEAR(costs.sum_seconds.value, expected.sum_seconds.value, 1e-9);
  for (const auto& [mode, of_mode] : expected.exchanges) {
    const ExchangeCosts& again = costs.exchanges.at(mode);
    EXPECT_NEAR(again.gbps.value, of_mode.gbps.value, 0.05 * of_mode.gbps.value) << to_string(mode);
    EXPECT_NEAR(again.fixed_seconds.value, of_mode.fixed_seconds.value,
                0.05 * of_mode.fixed_seconds.value)
        << to_string(mode);
  }
  EXPECT_NE(fitted.full().find("links of 2 GPUs"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast
