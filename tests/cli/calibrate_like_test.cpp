#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calibrate/fit/shipped_samples.hpp"
#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "model/profile/profile_file.hpp"

/// @file
/// `calibrate --like`, and what other commands say of such profiles.

namespace sparsecast::testing {
namespace {

using Json = nlohmann::json;

const std::string mark = "estimated from nvidia-h200 by data sheets; nobody has measured it";

class CalibrateLike : public ::testing::Test {
 protected:
  ProgramRun like(std::vector<std::string> more) const {
    more.insert(more.begin(), {"calibrate", "--like", "nvidia-h200", "--out", path_.string()});
    return run_program(more);
  }
  /// The path of an estimate.
  std::string estimate(const std::string& gpu) const {
    const std::string path = (folder_ / (gpu + ".json")).string();
    const ProgramRun made =
        run_program({"calibrate", "--like", "nvidia-h200", "--gpu", gpu, "--out", path});
    EXPECT_EQ(made.exit_status, 0) << made.errors;
    return path;
  }
  /// One line, and nothing written.
  void refuse(const std::vector<std::string>& more, const std::string& line) const {
    const ProgramRun run = like(more);
    EXPECT_EQ(run.exit_status, 2) << run.errors;
    EXPECT_EQ(run.errors, "sparsecast calibrate: " + line + '\n');
    EXPECT_EQ(run.output, "");
    EXPECT_FALSE(std::filesystem::exists(path_));
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "guess.json";
  std::vector<std::string> h100_{"--sms", "132",  "--clock", "1980",     "--bandwidth",
                                 "3350",  "--l2", "50",      "--memory", "80"};
};

TEST_F(CalibrateLike, SaysWhatItScaled) {
  const ProgramRun run = like({"--gpu", "h100-pcie"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_EQ(run.errors, "");
  EXPECT_EQ(run.output,
            "estimated, not measured: nvidia-h200 by the data sheets of both\n"
            "\n"
            "                     nvidia-h200      guess  ratio\n"
            "multiprocessors              132        114  0.864\n"
            "clock                   1980 MHz   1755 MHz  0.886\n"
            "memory bandwidth       4800 GB/s  2000 GB/s  0.417\n"
            "L2 cache                   60 MB      50 MB  0.833\n"
            "memory                    141 GB      80 GB  0.567\n"
            "link, one direction     450 GB/s    64 GB/s  0.142\n"
            "compute capability           9.0        9.0      -\n"
            "\n"
            "Estimated from nvidia-h200 by the data sheets of both: nobody has measured it. "
            "Launches, waits, sums and residuals are the relative's.\n"
            "profile: " +
                path_.string() + '\n');
  const DeviceProfile profile = read_profile(path_.string());
  EXPECT_EQ(profile.device, "NVIDIA H100 PCIe");
  EXPECT_EQ(profile.traffic->gpu.multiprocessors, 114);
}

TEST_F(CalibrateLike, TakesNumbersInPlaceOfAName) {
  const ProgramRun run = like(h100_);
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const DeviceProfile by_numbers = read_profile(path_.string());
  const DeviceProfile by_name = read_profile(estimate("h100-sxm"));
  EXPECT_EQ(by_numbers.traffic->parameters.device.memory_read_gbps,
            by_name.traffic->parameters.device.memory_read_gbps);
  EXPECT_EQ(by_numbers.traffic->gpu, by_name.traffic->gpu);
  EXPECT_EQ(by_numbers.memory_bytes, by_name.memory_bytes);
  EXPECT_EQ(by_numbers.device, "guess");
  EXPECT_TRUE(by_numbers.links.empty());  // of which nothing was said
}

TEST_F(CalibrateLike, TakesNumbersBesideAName) {
  const ProgramRun run = like({"--gpu", "h100-pcie", "--link", "300", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const Json json = Json::parse(run.output);
  EXPECT_EQ(json["like"], "nvidia-h200");
  EXPECT_EQ(json["from"]["name"], "h200");
  EXPECT_EQ(json["to"]["link_gbps"], 300);
  EXPECT_EQ(json["to"]["multiprocessors"], 114);
  EXPECT_TRUE(json["to"]["name"].is_null());  // no longer what its data sheet says
  EXPECT_EQ(read_profile(path_.string()).device_count_max, 4);
}

TEST_F(CalibrateLike, AsksForNumbersThatAreMissing) {
  const std::string needed =
      "--like needs --gpu NAME (sparsecast devices --sheets), --sms alone for a part of it, or all "
      "of --sms, --clock, --bandwidth, --l2 and --memory; --";
  refuse({}, needed + "sms is missing");
  for (std::size_t i = 0; i < h100_.size(); i += 2) {
    std::vector<std::string> without = h100_;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i),
                  without.begin() + static_cast<std::ptrdiff_t>(i + 2));
    refuse(without, needed + h100_[i].substr(2) + " is missing");
  }
  const ProgramRun run = run_program({"calibrate", "--like", "nvidia-h200", "--gpu", "h20"});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_EQ(run.errors, "sparsecast calibrate: --like needs --out NAME.json\n");
}

TEST_F(CalibrateLike, TakesMultiprocessorsAloneForAPartOfTheRelative) {
  const ProgramRun run = like({"--sms", "32", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const Json json = Json::parse(run.output);
  Json part = json["from"];
  part["multiprocessors"] = 32;
  part["name"] = nullptr;
  part["source"] = json["to"]["source"];
  part["link_gbps"] = json["to"]["link_gbps"];
  EXPECT_EQ(json["to"], part);
  const DeviceProfile relative = read_profile("nvidia-h200");
  const DeviceProfile profile = read_profile(path_.string());
  EXPECT_EQ(profile.device, relative.device);
  EXPECT_EQ(profile.memory_bytes, relative.memory_bytes);
  EXPECT_EQ(profile.traffic->gpu.multiprocessors, 32);
  EXPECT_EQ(profile.traffic->gpu.l2_bytes, relative.traffic->gpu.l2_bytes);
  EXPECT_TRUE(profile.links.empty());
}

TEST_F(CalibrateLike, RefusesPartsThatAreNone) {
  for (const char* number : {"0", "-8", "132", "200"}) {
    refuse({"--sms", number},
           "--sms: expected from 1 to 131, a part of nvidia-h200; of another GPU --clock, "
           "--bandwidth, --l2 and --memory too, or --gpu NAME");
  }
}

TEST_F(CalibrateLike, RefusesNumbersThatNoGpuHas) {
  refuse({"--gpu", "h100-sxm", "--bandwidth", "3.35"},
         "--bandwidth: expected from 48 to 480000 GB/s (nvidia-h200 has 4800), found 3.35");
  refuse({"--gpu", "h100-sxm", "--clock", "0"},
         "--clock: expected from 19.8 to 198000 MHz (nvidia-h200 has 1980), found 0");
  refuse({"--gpu", "h100-sxm", "--sms", "-132"},
         "--sms: expected from 1.32 to 13200 (nvidia-h200 has 132), found -132");
  for (const char* option : {"--l2", "--memory", "--link", "--sms", "--clock"}) {
    for (const char* number : {"-1", "1e9", "nan"}) {
      if (std::string(option) == "--sms" && std::string(number) != "-1") continue;
      const ProgramRun run = like({"--gpu", "h100-sxm", option, number});
      EXPECT_EQ(run.exit_status, 2) << option << ' ' << number << run.errors;
      EXPECT_FALSE(std::filesystem::exists(path_));
    }
  }
}

TEST_F(CalibrateLike, RefusesNamesAndOptionsThatMeanNothing) {
  refuse({"--gpu", "h100-pice"}, "--gpu: no data sheet of 'h100-pice'; did you mean 'h100-pcie'?");
  refuse({"--gpu", "h20", "--threads-per-sm", "2048"},
         "--threads-per-sm means nothing with --like");
  refuse({"--gpu", "h20", "--device", "cuda:0"}, "--gpu means nothing with --like and --device");
  refuse({"--bandwidth", "3350", "--device", "cuda:0"},
         "--bandwidth means nothing with --like and --device");
  refuse({"--gpu", "h20", "--refit", "x.samples.csv"},
         "--gpu means nothing with --like and --refit");
  refuse({"--device", "cuda:0", "--quick"}, "--quick means nothing with --like and --device");
  refuse({"--device", "cuda:0", "--refit", "x.samples.csv"},
         "--like and --device and --refit exclude each other");
  refuse({"--device", "cpu"}, "--device cpu: --like is of one GPU; name it, as --device cuda:0");
  refuse({"--device", "cuda:0,cuda:1"},
         "--device cuda:0,cuda:1: --like is of one GPU; name it, as --device cuda:0");
  refuse({"--gpu", "h20", "--full"}, "--full means nothing with --like");
  refuse({"--gpu", "h20", "--estimate"}, "--estimate and --like exclude each other");
  EXPECT_EQ(run_program({"calibrate", "--gpu", "h20"}).errors,
            "sparsecast calibrate: --gpu means nothing without --like\n");
}

TEST_F(CalibrateLike, RefusesWhatIsNoRelative) {
  const auto refusal = [&](const std::string& relative) {
    const ProgramRun run =
        run_program({"calibrate", "--like", relative, "--gpu", "h20", "--out", path_.string()});
    EXPECT_EQ(run.exit_status, 1) << run.output;
    EXPECT_FALSE(std::filesystem::exists(path_));
    return run.errors;
  };
  EXPECT_EQ(refusal("gtx280"),
            "sparsecast calibrate: profile 'gtx280' has no traffic model, whose constants data "
            "sheets scale; name one of a GPU that was calibrated\n");
  EXPECT_EQ(refusal("intel-xeon-h200-host-2cores"),
            "sparsecast calibrate: profile 'intel-xeon-h200-host-2cores' is of a CPU; a relative "
            "of a GPU is a GPU that was calibrated\n");
  EXPECT_EQ(refusal(estimate("h100-nvl")),
            "sparsecast calibrate: profile 'h100-nvl' is an estimate itself; name the profile of a "
            "GPU that was calibrated\n");
  EXPECT_NE(refusal("unheard-of").find("no profile 'unheard-of'"), std::string::npos);
}

TEST_F(CalibrateLike, OverwritesNothingWithoutForce) {
  write_file(path_, "mine");
  const ProgramRun run = like({"--gpu", "h20"});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_NE(run.errors.find("is there already"), std::string::npos) << run.errors;
  EXPECT_EQ(read_file(path_), "mine");
  EXPECT_EQ(like({"--gpu", "h20", "--force"}).exit_status, 0);
  EXPECT_EQ(read_profile(path_.string()).device, "NVIDIA H20");
}

TEST_F(CalibrateLike, IsMarkedOnceInAForecast) {
  const std::string path = estimate("h100-pcie");
  const std::vector<std::string> arguments{
      "predict", "--profile", path, "--unknowns", "1e6", "--elements", "27e6", "--block", "1"};
  const ProgramRun run = run_program(arguments);
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_EQ(run.errors, "");
  const std::string line = "profile h100-pcie: NVIDIA H100 PCIe, " + mark + "; f64, hybrid model\n";
  EXPECT_NE(run.output.find(line), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find(mark), run.output.rfind(mark));
  std::vector<std::string> as_json = arguments;
  as_json.emplace_back("--json");
  const Json forecast = Json::parse(run_program(as_json).output);
  for (const Json& each : forecast["predictions"]) {
    EXPECT_EQ(each["estimated"], true);
    EXPECT_EQ(each["profile"], "h100-pcie");
  }
}

TEST_F(CalibrateLike, IsComparedWithOthersInOneTable) {
  const std::vector<std::string> arguments{
      "predict",    "--profile", "nvidia-h200", "--profile", estimate("h100-pcie"),
      "--unknowns", "1e7",       "--elements",  "27e7",      "--block",
      "1"};
  const ProgramRun run = run_program(arguments);
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_NE(run.output.find("profile nvidia-h200: NVIDIA H200, measured; f64, hybrid model\n"
                            "profile h100-pcie: NVIDIA H100 PCIe, " +
                            mark),
            std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find("\nprofile                layout  schedule  launch"),
            std::string::npos);
  EXPECT_NE(run.output.find("\nnvidia-h200            csr     fused     graph"), std::string::npos);
  EXPECT_NE(run.output.find("\nh100-pcie (estimated)  csr     fused     graph"), std::string::npos);
  EXPECT_NE(run.output.find("Best: nvidia-h200, csr, fused by graph"), std::string::npos)
      << run.output;
  std::vector<std::string> explained = arguments;
  explained.emplace_back("--explain");
  EXPECT_EQ(run_program(explained).errors,
            "sparsecast predict: --explain: of one profile; leave the others out\n");
  std::vector<std::string> twice = arguments;
  twice.insert(twice.end(), {"--profile", "nvidia-h200"});
  EXPECT_EQ(run_program(twice).errors,
            "sparsecast predict: --profile nvidia-h200: is given twice; give each profile once\n");
  std::filesystem::create_directory(folder_ / "other");
  const std::string namesake = (folder_ / "other" / "h100-pcie.json").string();
  std::filesystem::copy_file(folder_ / "h100-pcie.json", namesake);
  std::vector<std::string> same = arguments;
  same.insert(same.end(), {"--profile", namesake});
  EXPECT_EQ(run_program(same).errors, "sparsecast predict: --profile " + namesake +
                                          ": another profile is named 'h100-pcie' too; rename "
                                          "one\n");
}

TEST_F(CalibrateLike, IsMarkedInAdvice) {
  const std::vector<std::string> arguments{"advise",
                                           "--profile",
                                           "nvidia-h200",
                                           "--profile",
                                           estimate("h100-sxm"),
                                           "--unknowns",
                                           "1e7",
                                           "--elements",
                                           "27e7",
                                           "--block",
                                           "1",
                                           "--max-devices",
                                           "2"};
  const ProgramRun run = run_program(arguments);
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_NE(run.output.find("profile h100-sxm: " + mark + '\n'), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("\nh100-sxm (estimated)     2"), std::string::npos) << run.output;
  std::vector<std::string> as_json = arguments;
  as_json.emplace_back("--json");
  const Json json = Json::parse(run_program(as_json).output);
  for (const Json& choice : json["choices"]) {
    EXPECT_EQ(choice["estimated"], choice["profile"] == "h100-sxm");
  }
}

TEST_F(CalibrateLike, IsMarkedOnAMap) {
  const ProgramRun run = run_program({"map", "--profile", estimate("h20"), "--devices", "1",
                                      "--out", (folder_ / "map.json").string()});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_NE(run.output.find("h20 (estimated), f64, csr, hybrid model; patterns guessed from\n"
                            "sizes\nprofile h20: " +
                            mark),
            std::string::npos)
      << run.output;
  EXPECT_EQ(Json::parse(read_file(folder_ / "map.json"))["estimated"], true);
}

TEST_F(CalibrateLike, WarnsWhereArithmeticInF64IsFarSlower) {
  const std::string path = estimate("l40s");
  const auto errors = [&](const char* precision) {
    return run_program({"predict", "--profile", path, "--unknowns", "3e5", "--elements", "8.1e6",
                        "--block", "1", "--precision", precision})
        .errors;
  };
  EXPECT_EQ(errors("f64"),
            "sparsecast: warning: profile 'l40s': a multiprocessor does 2 multiply-adds in f64 a "
            "clock, one of nvidia-h200 64; what waits for arithmetic is forecast too fast\n");
  EXPECT_EQ(errors("f32"), "");
}

/// Samples of an H200, of the like plan, with the profile of an H100 as relative.
class CalibrateLikeFromSamples : public CalibrateLike {
 protected:
  CalibrateLikeFromSamples() {
    SampleFile file = some_samples(15);
    file.plan = "like";
    write_samples(samples_, file);
  }
  ProgramRun refit(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"calibrate", "--like", "nvidia-h100", "--refit", samples_.string(),
                               "--out", path_.string()});
    return run_program(more);
  }

  std::filesystem::path samples_ = folder_ / "mine.samples.csv";
  std::string in_part_ = "measured in part, kernels as on nvidia-h100";
};

TEST_F(CalibrateLikeFromSamples, FitsDeviceConstantsWithoutADevice) {
  const ProgramRun run = refit();
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_EQ(run.output.find("measured in part, all else as on nvidia-h100\n\ndevice constant"), 0U)
      << run.output;
  EXPECT_NE(run.output.find("device/memory_read: from memory"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("\nprofile: " + path_.string() + '\n'), std::string::npos);
  const DeviceProfile profile = read_profile(path_.string());
  EXPECT_EQ(profile.origin, DeviceProfile::Origin::measured_in_part);
  EXPECT_EQ(profile.device, "NVIDIA H200");
  EXPECT_EQ(profile.estimated->like, "nvidia-h100");
  EXPECT_EQ(refit().exit_status, 2);  // it is there
  const ProgramRun again = refit({"--force", "--json"});
  ASSERT_EQ(again.exit_status, 0) << again.errors;
  const Json json = Json::parse(again.output);
  EXPECT_EQ(json["device"], "NVIDIA H200");
  bool has_memory = false;
  for (const Json& each : json["device_constants"]) {
    EXPECT_GT(each["log_error"], 0) << each;
    has_memory = has_memory || each["parameter"] == "device/memory_read";
  }
  EXPECT_TRUE(has_memory);
}

TEST_F(CalibrateLikeFromSamples, SaysSoInAForecast) {
  ASSERT_EQ(refit().exit_status, 0);
  const ProgramRun run = run_program({"predict", "--profile", path_.string(), "--unknowns", "1e6",
                                      "--elements", "27e6", "--block", "1"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_EQ(run.errors, "");
  EXPECT_NE(run.output.find("profile guess: NVIDIA H200, " + in_part_ + "; f64, hybrid model\n"),
            std::string::npos)
      << run.output;
}

TEST_F(CalibrateLikeFromSamples, AreNoCalibrationAndNoRelative) {
  const ProgramRun alone =
      run_program({"calibrate", "--refit", samples_.string(), "--out", path_.string()});
  EXPECT_EQ(alone.exit_status, 2);
  EXPECT_EQ(alone.errors, "sparsecast calibrate: --refit " + samples_.string() +
                              ": samples of the like plan, which are too few alone; name the "
                              "relative's profile with --like\n");
  ASSERT_EQ(refit().exit_status, 0);
  const ProgramRun chain = run_program({"calibrate", "--like", path_.string(), "--gpu", "h20",
                                        "--out", (folder_ / "other.json").string()});
  EXPECT_EQ(chain.exit_status, 1);
  EXPECT_EQ(chain.errors,
            "sparsecast calibrate: profile 'guess' is measured in part itself; name the profile of "
            "a GPU that was calibrated\n");
}

TEST_F(CalibrateLikeFromSamples, RefusesWhatIsNoRelative) {
  for (const auto& [relative, why] :
       {std::pair{"gtx280", "has no traffic model"}, {"amd-epyc-zen4-2cores", "is of a CPU"}}) {
    const ProgramRun run = run_program(
        {"calibrate", "--like", relative, "--refit", samples_.string(), "--out", path_.string()});
    EXPECT_EQ(run.exit_status, 1);
    EXPECT_EQ(
        run.errors.find("sparsecast calibrate: profile '" + std::string(relative) + "' " + why), 0U)
        << run.errors;
    // Before a device is looked for.
    const ProgramRun measured = run_program(
        {"calibrate", "--like", relative, "--device", "cuda:0", "--out", path_.string()});
    EXPECT_EQ(measured.exit_status, 1);
    EXPECT_EQ(measured.errors, run.errors);
    EXPECT_FALSE(std::filesystem::exists(path_));
  }
}

TEST(DevicesCommand, ListsDataSheets) {
  const ProgramRun run = run_program({"devices", "--sheets"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_NE(
      run.output.find("\nh100-pcie              9.0  114  1755 MHz         2000 GB/s   50 MB"),
      std::string::npos)
      << run.output;
  const ProgramRun sheets = run_program({"devices", "--sheets", "--json"});
  const Json json = Json::parse(sheets.output)["sheets"];
  EXPECT_EQ(json.size(), 12u);
  for (const Json& sheet : json) EXPECT_FALSE(sheet["source"].get<std::string>().empty());
}

}  // namespace
}  // namespace sparsecast::testing
