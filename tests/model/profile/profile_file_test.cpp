#include "model/profile/profile_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>

#include "core/base/error.hpp"
#include "model/profile/full_profile.hpp"

namespace sparsecast {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ProfileFile, IsWrittenToAFileAndReadFromItsPath) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "machine_profile_test.json";
  write_profile(path, full_profile());
  EXPECT_EQ(read_profile(path.string()).name, "machine_profile_test");
  std::filesystem::remove(path);
}

TEST(ProfileFile, HoldsThePapersTables) {
  const DeviceProfile gtx280 = read_profile("gtx280");
  EXPECT_EQ(gtx280.name, "gtx280");
  EXPECT_EQ(gtx280.origin, DeviceProfile::Origin::published);
  const KernelCurve& cg4 = gtx280.curve(Precision::f32, "CG4");
  EXPECT_EQ(cg4.average.mu, 19.3);
  EXPECT_EQ(cg4.maximum.nu, 116);
  const KernelCurve& spmv = gtx280.curve(Precision::f32, "SpMV/bcsr8");
  EXPECT_EQ(spmv.average.sigma, 1.51);
  EXPECT_EQ(spmv.maximum.mu, 20.11);
  EXPECT_EQ(gtx280.link(2).law, ExchangeLaw::staged);
  EXPECT_EQ(gtx280.link(2).sync_seconds, 35e-6);
}

/// Table 6 of the paper: mean and variance of the relative error of performance, which is measured
/// over predicted time less 1. Whether the mean is of signed errors is not said: mean^2 + variance
/// is the same for both.
TEST(ProfileFile, OfThePaperHasTheIntervalsOfItsTable6) {
  struct Line {
    const char* layout;
    int devices;
    double mean;
    double variance;
  };
  const DeviceProfile gtx280 = read_profile("gtx280");
  for (const Line& line :
       {Line{"csr", 1, 0.18, 0.108}, Line{"bcsr2", 1, 0.12, 0.037}, Line{"bcsr4", 1, 0.07, 0.008},
        Line{"bcsr8", 1, 0.06, 0.004}, Line{"csr", 2, 0.16, 0.042}, Line{"bcsr2", 2, 0.14, 0.023},
        Line{"bcsr4", 2, 0.11, 0.012}, Line{"bcsr8", 2, 0.07, 0.006}}) {
    const double log_variance = std::log(1 + line.mean * line.mean + line.variance);
    constexpr double normal_95 = 1.6448536269514722;
    const double half_width = normal_95 * std::sqrt(log_variance);
    const IntervalRatios* ratios =
        gtx280.iteration_ratios(Precision::f32, line.layout, line.devices);
    ASSERT_NE(ratios, nullptr) << line.layout;
    EXPECT_NEAR(ratios->low, std::exp(-log_variance / 2 - half_width), 5e-4)
        << line.layout << " on " << line.devices;
    EXPECT_NEAR(ratios->high, std::exp(-log_variance / 2 + half_width), 5e-4)
        << line.layout << " on " << line.devices;
    EXPECT_EQ(ratios->samples, 67);
    EXPECT_EQ(ratios->median, 0);  // not published
  }
}

TEST(ProfileFile, OfTheH200HasTheL2ThatThePagesName) {
  const DeviceProfile profile = read_profile(SPARSECAST_SOURCE_DIR "/profiles/nvidia-h200.json");
  ASSERT_TRUE(profile.traffic);
  std::stringstream megabytes;
  megabytes << std::fixed << std::setprecision(1)
            << static_cast<double>(profile.traffic->gpu.l2_bytes) * 1e-6;
  const std::string pages = SPARSECAST_SOURCE_DIR "/docs/";
  const auto names = [&](const char* page, const std::string& words) {
    EXPECT_NE(text_of(pages + page).find(words), std::string::npos) << page << ": " << words;
  };
  names("h200.md", megabytes.str() + " MB of L2");
  const auto effective = std::lround(profile.traffic->parameters.device.cache_bytes * 1e-6);
  names("model.md", "an effective cache of " + std::to_string(effective) + " MB of its " +
                        megabytes.str() + " (");
  names("benchmarks/h200_spmv_mappings.md", "the " + megabytes.str() + " MB L2");
}

TEST(ProfileFile, IsFoundByNameInTheFolderOfTheEnvironment) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "sparsecast_profiles_test";
  std::filesystem::create_directories(folder);
  write_profile(folder / "mine.json", full_profile());
  setenv("SPARSECAST_PROFILES", folder.c_str(), 1);
  EXPECT_EQ(read_profile("mine").name, "mine");
  EXPECT_EQ(read_profile("gtx280").name, "gtx280");  // shipped ones stay known
  EXPECT_EQ(profile_folder_warning(), "");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(profile_folder_warning(), "SPARSECAST_PROFILES: there is no folder " + folder.string() +
                                          "; profiles are looked up without it");
  unsetenv("SPARSECAST_PROFILES");
  EXPECT_EQ(profile_folder_warning(), "");
}

TEST(ProfileFile, NamesTheKnownOnesWhenANameIsUnknown) {
  try {
    read_profile("gtx281");
    FAIL() << "found a profile that is not there";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no profile 'gtx281'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("gtx280"), std::string::npos);
  }
}

}  // namespace
}  // namespace sparsecast
