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
  EXPECT_TRUE(gtx280.at(Precision::f32).intervals.empty());
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
  unsetenv("SPARSECAST_PROFILES");
  std::filesystem::remove_all(folder);
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
