#include "calibrate/fit/profile_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "calibrate/fit/curves/curve_samples.hpp"
#include "calibrate/measure/measured_schedules.hpp"
#include "core/base/error.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "model/paper/iteration_time.hpp"

namespace sparsecast {
namespace {

constexpr unsigned seed = 42;

const std::vector<std::string> vector_kernels{"CG1", "CG2", "CG3", "CG4", "CG5", "Red"};

/// Samples of a device whose curves are known: `noise` on every time, whole iterations `slowness`
/// times slower than the sum of their kernels.
SampleFile made_up_samples(double noise, double slowness) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, noise);
  SampleFile file;
  file.origin.device = "made up";
  file.plan = "default";
  const ThroughputCurve truth{13, 1.6, 25};
  DeviceProfile profile;
  auto& curves = profile.precisions[Precision::f64].curves;
  for (const std::string& kernel : vector_kernels) curves[kernel] = {truth, truth, {}};
  curves["SpMV/csr"] = {truth, truth, {}};

  const auto add = [&](const std::string& kernel, double elements, double seconds) -> Sample& {
    Sample sample;
    sample.kernel = kernel;
    sample.elements = elements;
    sample.seconds = seconds * std::exp(normal(random));
    sample.repeats = 1;
    sample.rounds = 5;
    sample.stable = true;
    file.samples.push_back(sample);
    return file.samples.back();
  };
  for (int i = 0; i < 20; ++i) {
    const double m = std::exp2(6 + i);
    for (const std::string& kernel : vector_kernels) add(kernel, m, kernel_seconds(truth, m, 8));
    Sample& spmv = add("SpMV", m, kernel_seconds(truth, m, 8));
    spmv.layout = "csr";
    spmv.matrix = "m" + std::to_string(i);
    // Converting: 2 ns a nonzero.
    Sample& conversion = add("Convert", 0, 2e-9 * m);
    conversion.layout = "csr";
    conversion.nonzeros = m;
    conversion.shape.elements = m;
  }
  for (int i = 0; i < 39; ++i) {
    SegmentShape shape;
    shape.unknowns = shape.total_unknowns = 100 * std::pow(1.3, i);
    shape.elements = 8 * shape.unknowns;
    const double seconds =
        slowness * price_iteration(algorithm1_schedule(), std::span(&shape, 1), profile,
                                   Precision::f64, "csr", CurveKind::average)
                       .seconds;
    Sample& iteration = add("Iteration", 1, seconds);
    iteration.layout = "csr";
    iteration.shape = shape;
    iteration.schedule = "algorithm1";
    iteration.held_out = true;
  }
  for (int i = 0; i < 12; ++i) {
    const double m = std::exp2(8 + i);
    Sample& exchange = add("Exchange", m, 5e-6 + kernel_seconds({10, 1.5, 4}, m, 8));
    exchange.devices = 2;
  }
  add("Barrier", 0, 5e-6).devices = 2;
  return file;
}

TEST(ProfileFit, FindsTheCurvesOfEveryKernel) {
  const ProfileFit fit = fit_profile(made_up_samples(0, 1), "p");
  EXPECT_TRUE(fit.warnings.empty()) << fit.warnings.front();
  const auto& curves = fit.profile.at(Precision::f64).curves;
  ASSERT_EQ(curves.size(), 7u);
  for (const auto& [key, curve] : curves) {
    EXPECT_NEAR(curve.average.mu, 13, 1e-3) << key;
    EXPECT_NEAR(curve.average.nu, 25, 0.01) << key;
    ASSERT_TRUE(curve.quality) << key;
    EXPECT_EQ(curve.quality->samples, 20) << key;
    EXPECT_EQ(curve.quality->elements_max, std::exp2(25)) << key;
    EXPECT_FALSE(curve.quality->maximum_coverage.empty()) << key;
  }
}

TEST(ProfileFit, BoundsCurvesOfKernelsByTheMemoryButNotLinks) {
  SampleFile file = made_up_samples(0, 1);
  // 2 x 1.25 GHz x 64 bit are 20 GB/s, of curves of 25; the link has 40.
  file.origin.environment = {{"memory_clock_mhz", "1250"}, {"memory_bus_bits", "64"}};
  for (Sample& sample : file.samples) {
    if (sample.kernel != "Exchange") continue;
    sample.seconds = 5e-6 + kernel_seconds({10, 1.5, 40}, sample.elements, 8);
  }
  const ProfileFit fit = fit_profile(file, "p");
  for (const auto& [key, curve] : fit.profile.at(Precision::f64).curves) {
    EXPECT_EQ(curve.average.nu, 20) << key;
    EXPECT_EQ(curve.maximum.nu, 20) << key;
  }
  EXPECT_NEAR(fit.profile.link(2).exchange.average.nu, 40, 0.1);
}

TEST(ProfileFit, TakesOneSynchronisationOffTheExchange) {
  const ProfileFit fit = fit_profile(made_up_samples(0, 1), "p");
  const Link& link = fit.profile.link(2);
  EXPECT_NEAR(link.sync_seconds, 5e-6, 1e-9);
  EXPECT_NEAR(link.exchange.average.mu, 10, 0.01);
  EXPECT_NEAR(link.exchange.average.nu, 4, 0.01);
  EXPECT_TRUE(link.shared_bus);
  EXPECT_EQ(link.law, ExchangeLaw::staged);
}

TEST(ProfileFit, FindsTheCostOfConversions) {
  const ProfileFit fit = fit_profile(made_up_samples(0, 1), "p");
  const ConversionCost& cost = fit.profile.at(Precision::f64).conversion.at("csr");
  EXPECT_NEAR(cost.seconds_per_nonzero, 2e-9, 1e-13);
  EXPECT_EQ(cost.seconds_per_element, 0);
}

TEST(ProfileFit, GivesIntervalsThatHoldTheMeasuredIterations) {
  const ProfileFit fit = fit_profile(made_up_samples(0.1, 1.3), "p");
  const IntervalRatios& ratios = fit.profile.at(Precision::f64).intervals.at("csr");
  EXPECT_EQ(ratios.samples, 39);
  EXPECT_LT(ratios.low, 1.25);
  EXPECT_GT(ratios.high, 1.35);
  ASSERT_EQ(fit.intervals.size(), 1u);
  EXPECT_NEAR(fit.intervals[0].fit.median, 1.3, 0.1);
  EXPECT_EQ(ratios.median, fit.intervals[0].fit.median);
}

TEST(ProfileFit, FindsTheCapacityOfACacheAndTheMemoryBehindIt) {
  const CacheEffect truth{20e6, 4};
  const ThroughputCurve curve{9, latency_bandwidth_sigma, 150, 15};
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.05);
  SampleFile file;
  file.origin.device = "made up";
  for (const std::string& kernel : vector_kernels) {
    const Schedule schedule = schedule_to_measure(kernel);
    for (int i = 0; i < 24; ++i) {
      Sample sample;
      sample.kernel = kernel;
      sample.shape.unknowns = sample.shape.total_unknowns = 32 * std::pow(1.95, i);
      sample.elements = evaluate(schedule.iteration[0].elements, sample.shape);
      const double share = missing_share(truth, working_set_of(sample));
      sample.seconds = kernel_seconds(curve, sample.elements, 8, share) * std::exp(noise(random));
      sample.stable = true;
      file.samples.push_back(sample);
    }
  }

  const ProfileFit fit = fit_profile(file, "p");

  ASSERT_TRUE(fit.profile.cache);
  EXPECT_NEAR(std::log2(fit.profile.cache->capacity_bytes / truth.capacity_bytes), 0, 0.5);
  for (const std::string& kernel : vector_kernels) {
    const ThroughputCurve& found = fit.profile.curve(Precision::f64, kernel).average;
    EXPECT_NEAR(found.nu, 150, 15) << kernel << ", seed " << seed;
    EXPECT_NEAR(found.memory_nu, 15, 2) << kernel << ", seed " << seed;
  }
}

TEST(ProfileFit, SeesNoCacheWhereThereIsNone) {
  EXPECT_FALSE(fit_profile(made_up_samples(0.1, 1), "p").profile.cache);
}

TEST(ProfileFit, LeavesRefusedFitsOutAndSaysWhatIsMissing) {
  SampleFile file = made_up_samples(0, 1);
  int kept = 0;
  std::erase_if(file.samples,
                [&kept](const Sample& sample) { return sample.kernel == "CG4" && ++kept > 5; });
  const ProfileFit fit = fit_profile(file, "p");
  EXPECT_FALSE(fit.profile.at(Precision::f64).curves.contains("CG4"));
  EXPECT_TRUE(fit.profile.at(Precision::f64).intervals.empty());
  ASSERT_EQ(fit.warnings.size(), 2u);
  EXPECT_EQ(fit.warnings[0],
            "f64 CG4: fit refused (too few samples): 5 samples; at least 8 are needed");
  EXPECT_EQ(fit.warnings[1],
            "no curve of CG4 in f64: the paper's model cannot price Algorithm 1 in this precision");
}

TEST(ProfileFit, SaysThatAPlanWasNotFinished) {
  SampleFile file = made_up_samples(0, 1);
  file.partial = true;
  const ProfileFit fit = fit_profile(file, "p");
  ASSERT_EQ(fit.warnings.size(), 1u);
  EXPECT_NE(fit.warnings[0].find("resume it"), std::string::npos);
}

TEST(ProfileFit, SaysThatTheMachineWasBusy) {
  SampleFile file = made_up_samples(0, 1);
  for (std::size_t i = 0; i < file.samples.size(); i += 4) {
    file.samples[i].stable = false;
    file.samples[i].relative_spread = 0.4;
  }
  const ProfileFit fit = fit_profile(file, "p");
  ASSERT_FALSE(fit.warnings.empty());
  EXPECT_NE(fit.warnings.back().find("busy"), std::string::npos);
}

TEST(ProfileFit, UsesNoSampleThatWasTakenWhileThrottledAndSaysSo) {
  SampleFile file = made_up_samples(0, 1);
  for (std::size_t i = 0; i < file.samples.size(); i += 5) {
    file.samples[i].throttle_reasons = "thermal";
    file.samples[i].seconds *= 3;
  }
  const ProfileFit fit = fit_profile(file, "p");
  EXPECT_NEAR(fit.profile.curve(Precision::f64, "CG4").average.nu, 25, 0.3);
  ASSERT_EQ(fit.warnings.size(), 1u);
  EXPECT_NE(fit.warnings[0].find("throttled (thermal)"), std::string::npos) << fit.warnings[0];
}

TEST(ProfileFit, SaysThatTheDeviceWasShared) {
  SampleFile file = made_up_samples(0, 1);
  file.origin.environment["other_processes"] = "0";
  EXPECT_TRUE(fit_profile(file, "p").warnings.empty());
  file.origin.environment["other_processes"] = "2";
  const ProfileFit fit = fit_profile(file, "p");
  ASSERT_EQ(fit.warnings.size(), 1u);
  EXPECT_NE(fit.warnings[0].find("2 other processes"), std::string::npos) << fit.warnings[0];
}

TEST(ProfileFit, FitsKernelsAsGraphsLaunchThem) {
  SampleFile file = made_up_samples(0, 1);
  std::vector<Sample> plain = file.samples;
  for (Sample& sample : file.samples) sample.launch = "graph";
  for (Sample& sample : plain) {
    sample.launch = "plain";
    sample.seconds *= 2;
    file.samples.push_back(sample);
  }
  EXPECT_NEAR(fit_profile(file, "p").profile.curve(Precision::f64, "CG4").average.nu, 25, 0.1);
}

Sample upload_sample(std::string_view kernel, double seconds) {
  Sample sample;
  sample.kernel = kernel;
  sample.layout = "csr";
  sample.matrix = "m";
  sample.seconds = seconds;
  return sample;
}

TEST(ProfileFit, FindsTheRateOfUploadsAndWhatEachTakesBesides) {
  SampleFile file = made_up_samples(0, 1);
  EXPECT_FALSE(fit_profile(file, "p").profile.upload_gbps);
  for (const double bytes : {1e5, 3e5, 1e6, 3e6, 1e7, 2e7, 4e7, 8e7}) {
    // The values of 1e7 bytes and more have memory of their own, as have indices of 1e7 and more.
    const int starts = (bytes >= 1e6 ? 1 : 0) + (bytes >= 1e7 ? 2 : 0);
    const double gbps = bytes >= 1e6 ? 12 : 4;
    const double seconds = 2.1e-4 + 1.5e-9 * bytes / gbps + 1e-4 * starts;
    Sample& sample = file.samples.emplace_back(upload_sample("Upload", bytes == 2e7 ? 1 : seconds));
    sample.bytes.values = bytes;
    sample.bytes.indices = bytes / 2;
  }
  const DeviceProfile profile = fit_profile(file, "p").profile;
  EXPECT_NEAR(profile.upload_gbps.value(), 12, 0.3);
  EXPECT_NEAR(profile.upload_small_gbps.value(), 4, 0.1);
  EXPECT_NEAR(profile.upload_seconds, 7e-5, 2e-6);
  EXPECT_NEAR(profile.upload_seconds_per_start, 1e-4, 5e-6);
  EXPECT_EQ(profile.upload_seconds_of_matrix, 0);

  // Vectors, whose memory is there, tell what of the arrays' time is the matrix's.
  for (const double bytes : {1e5, 3e5, 1e6, 3e6, 1e7, 2e7, 4e7, 8e7}) {
    const bool shared = bytes >= 1e6 + 5e4;
    const double seconds = 1e-5 + bytes / (shared ? 12e9 : 4e9) + (shared ? 1e-4 : 0);
    file.samples.push_back(upload_sample("UploadVector", seconds));
    file.samples.back().bytes.vector_reads = bytes;
  }
  const DeviceProfile both = fit_profile(file, "p").profile;
  EXPECT_NEAR(both.upload_gbps.value(), 12, 0.5);
  EXPECT_NEAR(both.upload_seconds, 1e-5, 2e-6);
  EXPECT_NEAR(both.upload_seconds_of_matrix, 1.8e-4, 1e-5);
  const double vector = 1e-5 + 2e7 / 12e9 + 1e-4;
  EXPECT_NEAR(both.seconds_of_vector_upload(2e7), vector, 0.05 * vector);
  const std::array arrays{1e5, 5e4, 0.0};
  EXPECT_NEAR(both.seconds_of_upload(arrays), 2.1e-4 + 1.5e5 / 4e9, 1e-5);
}

TEST(ProfileFit, RefusesSamplesWithoutAnyCurve) {
  EXPECT_THROW(fit_profile(SampleFile{}, "p"), Error);
}

TEST(ProfileFit, ReportsEveryFitAtLength) {
  const std::string report = fit_profile(made_up_samples(0.05, 1), "p").full();
  for (const char* part : {"f64 CG4\n", "f64 SpMV/csr\n", "Exchange/2\n", "90 % interval"}) {
    EXPECT_NE(report.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace sparsecast
