#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/traffic_profile.hpp"

namespace sparsecast::testing {
namespace {

using Json = nlohmann::json;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A generated matrix and its features, as files.
class FeaturesFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_program({"generate", "laplacian", "--points", "27", "--size", "12,11,10", "--out",
                           matrix_})
                  .exit_status,
              0);
    inspected_ = run_program({"inspect", matrix_, "--features", features_});
    ASSERT_EQ(inspected_.exit_status, 0) << inspected_.errors;
  }

  /// A command with the matrix in its place, and with the features there.
  void expect_the_same(const std::vector<std::string>& before,
                       const std::vector<std::string>& behind) const {
    const auto run_with = [&](const std::string& subject) {
      std::vector<std::string> arguments = before;
      arguments.push_back(subject);
      arguments.insert(arguments.end(), behind.begin(), behind.end());
      return run_program(arguments);
    };
    const ProgramRun from_matrix = run_with(matrix_);
    const ProgramRun from_features = run_with(features_);
    ASSERT_EQ(from_matrix.exit_status, 0) << from_matrix.errors;
    EXPECT_EQ(from_features.exit_status, 0);
    EXPECT_EQ(from_features.errors, from_matrix.errors);
    EXPECT_EQ(with_name_of_matrix(from_features.output), from_matrix.output);
  }

  std::string with_name_of_matrix(std::string text) const {
    for (std::size_t at = 0; (at = text.find(features_)) != std::string::npos;) {
      text.replace(at, features_.size(), matrix_);
    }
    return text;
  }

  /// What a command says that fails, which is one line.
  static std::string refusal(const std::vector<std::string>& arguments, int status = 1) {
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.exit_status, status) << run.errors;
    EXPECT_EQ(run.output, "");
    return run.errors;
  }

  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << content;
    return path;
  }

  TemporaryFolder folder_;
  std::string matrix_ = (folder_ / "box.mtx").string();
  std::string features_ = (folder_ / "box.features.json").string();
  ProgramRun inspected_;
};

TEST_F(FeaturesFiles, AreWrittenBesideWhatInspectPrints) {
  const ProgramRun plain = run_program({"inspect", matrix_});
  EXPECT_EQ(inspected_.output, plain.output);
  const ProgramRun quiet = run_program(
      {"inspect", matrix_, "-q", "--features", (folder_ / "quiet.features.json").string()});
  EXPECT_EQ(quiet.output, plain.output);
  EXPECT_EQ(quiet.errors, "");
  const std::string& line = inspected_.errors;
  EXPECT_TRUE(line.starts_with("wrote " + features_ + ": ")) << line;
  EXPECT_TRUE(line.ends_with(" kB; predict, map and advise take it in place of the matrix\n"));
  const Json json = Json::parse(text_of(features_));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["matrix"], "box.mtx");
  EXPECT_EQ(json["features"]["rows"], 12 * 11 * 10);
  EXPECT_EQ(json["devices"], (Json{2, 4}));  // advice for the profiles that ship
  EXPECT_EQ(json["formats"].size(), 5u);
  EXPECT_LT(std::filesystem::file_size(features_), 80'000u);
}

TEST_F(FeaturesFiles, StandForTheMatrixInPredict) {
  for (const char* profile :
       {"nvidia-h200", "amd-epyc-zen4-2cores", "intel-xeon-h200-host-2cores", "gtx280"}) {
    expect_the_same({"predict"}, {"--profile", profile, "--json", "--iterations", "300"});
    expect_the_same({"predict"}, {"--profile", profile});
  }
  expect_the_same({"predict"}, {"--profile", "nvidia-h200", "--devices", "1,2,4", "--precision",
                                "f32", "--schedule", "all", "--json", "--explain"});
  expect_the_same({"predict"}, {"--profile", "gtx280", "--devices", "1,2", "--block", "1,2,4"});
}

TEST_F(FeaturesFiles, StandForTheMatrixInATableOfSeveralProfiles) {
  const std::vector<std::string> profiles{"--profile",   "nvidia-h200", "--profile",
                                          "nvidia-h100", "--profile",   "amd-epyc-zen4-2cores"};
  expect_the_same({"predict"}, profiles);
  std::vector<std::string> as_json = profiles;
  as_json.emplace_back("--json");
  expect_the_same({"predict"}, as_json);
}

TEST_F(FeaturesFiles, StandForTheMatrixWithSchedulesOfOnesOwn) {
  const std::string schedule = std::string(SPARSECAST_SOURCE_DIR) + "/schedules/bicgstab.json";
  expect_the_same({"predict"},
                  {"--profile", "nvidia-h200", "--schedule", schedule, "--json", "--explain"});
}

TEST_F(FeaturesFiles, StandForTheMatrixInAdvise) {
  expect_the_same({"advise"}, {"--profile", "nvidia-h200", "--profile", "amd-epyc-zen4-2cores"});
  expect_the_same({"advise"}, {"--profile", "gtx280", "--max-devices", "2", "--json"});
}

TEST_F(FeaturesFiles, StandForTheMatrixInMap) {
  const auto out = [&](const char* name) { return (folder_ / name).string(); };
  const auto run_with = [&](const std::string& subject, const std::string& path) {
    return run_program({"map", subject, "--profile", "gtx280", "--out", path});
  };
  const ProgramRun from_matrix = run_with(matrix_, out("a.json"));
  const ProgramRun from_features = run_with(features_, out("b.json"));
  ASSERT_EQ(from_features.exit_status, 0) << from_features.errors;
  EXPECT_EQ(from_features.output, from_matrix.output);
  EXPECT_EQ(text_of(out("b.json")), text_of(out("a.json")));
}

TEST_F(FeaturesFiles, AreKnownByWhatTheyHoldToo) {
  const std::string renamed = (folder_ / "mail").string();
  std::filesystem::copy(features_, renamed);
  const ProgramRun run = run_program({"predict", renamed, "--profile", "nvidia-h200"});
  EXPECT_EQ(run.exit_status, 0) << run.errors;
}

TEST_F(FeaturesFiles, AreOfTheOrderThatTheyWereWrittenIn) {
  const std::string ordered = (folder_ / "rcm.features.json").string();
  ASSERT_EQ(
      run_program({"inspect", matrix_, "--renumber", "rcm", "--features", ordered}).exit_status, 0);
  const ProgramRun expected =
      run_program({"predict", matrix_, "--renumber", "rcm", "--profile", "nvidia-h200", "--json"});
  const ProgramRun run = run_program({"predict", ordered, "--profile", "nvidia-h200", "--json"});
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_EQ(Json::parse(run.output)["predictions"], Json::parse(expected.output)["predictions"]);
}

TEST_F(FeaturesFiles, AreNotOverwrittenUnlessTold) {
  const std::string before = text_of(features_);
  EXPECT_EQ(refusal({"inspect", matrix_, "--features", features_, "--for-devices", "1"}, 2),
            "sparsecast inspect: --features " + features_ +
                ": is there already; choose another name, or overwrite it with --force\n");
  EXPECT_EQ(text_of(features_), before);
  EXPECT_EQ(
      run_program({"inspect", matrix_, "--features", features_, "--for-devices", "1", "--force"})
          .exit_status,
      0);
  EXPECT_LT(text_of(features_).size(), 12'000u);
}

TEST_F(FeaturesFiles, GoToStandardOutputWithTheTablesElsewhere) {
  const ProgramRun run = run_program({"inspect", matrix_, "--features", "-"});
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_EQ(run.output, text_of(features_));
  EXPECT_NE(run.errors.find("vector reuse in"), std::string::npos);
}

TEST_F(FeaturesFiles, OfOtherDevicesSayWhatToRun) {
  EXPECT_EQ(refusal({"predict", features_, "--profile", "nvidia-h200", "--devices", "1,3"}),
            "sparsecast predict: " + features_ +
                ": is for 1,2,4 devices, not 1,3; count the matrix again where it is: sparsecast "
                "inspect MATRIX --features FILE --for-devices 2,3,4, or from Python "
                "count_features(A, profiles, devices=[2,3,4])\n");
}

TEST_F(FeaturesFiles, AreForTheGpusThatTheyAreAskedFor) {
  const std::string mine = (folder_ / "mine.json").string();
  write_profile(mine, made_up_traffic_profile());
  const std::string said = refusal({"predict", features_, "--profile", mine});
  EXPECT_EQ(said, "sparsecast predict: " + features_ +
                      ": was not made for the GPU of profile 'mine', whose kernels work on the "
                      "matrix in other parts; count the matrix again where it is, for this "
                      "profile too: sparsecast inspect MATRIX --features FILE --for P,Q, or from "
                      "Python count_features(A, [P, Q])\n");
  ASSERT_EQ(run_program({"inspect", matrix_, "--features", features_, "--for",
                         "nvidia-h200," + mine, "--force"})
                .exit_status,
            0);
  expect_the_same({"predict"}, {"--profile", mine, "--json"});
  expect_the_same({"predict"}, {"--profile", "nvidia-h200", "--json"});
}

TEST_F(FeaturesFiles, NameTheProfileOfSeveralThatTheyAreNotMadeFor) {
  const std::string mine = (folder_ / "mine.json").string();
  write_profile(mine, made_up_traffic_profile());
  for (const char* command : {"predict", "advise"}) {
    EXPECT_TRUE(refusal({command, features_, "--profile", "nvidia-h200", "--profile", mine})
                    .starts_with("sparsecast " + std::string(command) + ": " + features_ +
                                 ": was not made for the GPU of profile 'mine', "));
  }
}

TEST_F(FeaturesFiles, AreForGpusThatNobodyHasMeasured) {
  const std::string guess = (folder_ / "guess.json").string();
  ASSERT_EQ(
      run_program({"calibrate", "--like", "nvidia-h200", "--gpu", "h100-pcie", "--out", guess})
          .exit_status,
      0);
  EXPECT_NE(refusal({"predict", features_, "--profile", guess}).find("of profile 'guess'"),
            std::string::npos);
  ASSERT_EQ(run_program({"inspect", matrix_, "--features", features_, "--for",
                         "nvidia-h200," + guess, "--force"})
                .exit_status,
            0);
  const std::vector<std::string> both{"--profile", "nvidia-h200", "--profile", guess};
  expect_the_same({"predict"}, {"--profile", guess, "--devices", "1,2,4", "--json", "--explain"});
  expect_the_same({"predict"}, both);
  expect_the_same({"advise"}, both);
  expect_the_same({"map"}, {"--profile", guess, "--model", "paper", "--json"});
  EXPECT_NE(run_program({"advise", features_, "--profile", guess}).output.find("(estimated)"),
            std::string::npos);
}

TEST_F(FeaturesFiles, HaveNoEntries) {
  const std::string why = features_ +
                          ": is a features file, or other JSON, and has no entries; give the "
                          "matrix itself (features are for predict, map and advise)\n";
  EXPECT_EQ(refusal({"solve", features_}), "sparsecast solve: " + why);
  EXPECT_EQ(refusal({"inspect", features_, "--drop-explicit-zeros"}), "sparsecast inspect: " + why);
  const std::string validated =
      refusal({"validate", features_, "--profile", "amd-epyc-zen4-2cores"});
  EXPECT_NE(validated.find("has no entries; give the matrix itself"), std::string::npos);
  EXPECT_EQ(refusal({"predict", features_, "--renumber", "rcm", "--profile", "nvidia-h200"}, 2),
            "sparsecast predict: --renumber rcm: " + features_ +
                " has no entries to order; write one of that order where the matrix is: sparsecast "
                "inspect MATRIX --renumber rcm --features FILE\n");
}

TEST_F(FeaturesFiles, ThatAreDamagedAreRefusedInOneLine) {
  const auto predict = [](const std::string& path) {
    return refusal({"predict", path, "--profile", "nvidia-h200"});
  };
  const std::string whole = text_of(features_);
  const std::string cut = write("cut.features.json", whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(predict(cut).starts_with("sparsecast predict: " + cut + ": damaged JSON at line "));
  const std::string profile = std::string(SPARSECAST_SOURCE_DIR) + "/profiles/gtx280.json";
  EXPECT_EQ(predict(profile),
            "sparsecast predict: " + profile +
                ": is a profile; give it as the profile, and a features file as sparsecast inspect "
                "writes it, or a matrix, here\n");
  Json json = Json::parse(whole);
  json["schema"] = 9;
  const std::string later = write("later.features.json", json.dump());
  EXPECT_EQ(predict(later), "sparsecast predict: " + later +
                                ": schema: version 9 is unknown; expected 1; count the matrix "
                                "again with this version: sparsecast inspect MATRIX --features "
                                "FILE, or from Python count_features(A)\n");
  const std::string missing = (folder_ / "none.features.json").string();
  EXPECT_NE(predict(missing).find(missing), std::string::npos);
}

TEST_F(FeaturesFiles, ThatSayNothingOfAFormatAreForecastWithoutIt) {
  Json json = Json::parse(text_of(features_));
  json["formats"].erase("dia");
  const std::string path = write("old.features.json", json.dump());
  const ProgramRun run = run_program({"predict", path, "--profile", "nvidia-h200", "--json"});
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_TRUE(
      run.errors.starts_with("sparsecast: warning: " + path +
                             " says nothing of format dia; left out: write the file again with "
                             "this version to have it\n"))
      << run.errors;
  EXPECT_EQ(run.output.find("\"dia\""), std::string::npos);
}

TEST_F(FeaturesFiles, AreWrittenThoughAStrayFileLiesAmongTheProfiles) {
  const std::filesystem::path folder = folder_ / "profiles";
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "notes.json") << R"(not a profile of "precisions")";
  std::ofstream(folder / "other.json") << R"({"rows": 3})";  // says that it is something else
  const std::string path = (folder_ / "again.features.json").string();
  const std::string at = "SPARSECAST_PROFILES=" + folder.string();
  const ProgramRun run = run_program({"inspect", matrix_, "--features", path}, {at});
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_TRUE(run.errors.starts_with("sparsecast: warning: " + (folder / "notes.json").string() +
                                     ": damaged JSON at line 1"))
      << run.errors;
  EXPECT_NE(run.errors.find("; --features leaves this profile out\n"), std::string::npos)
      << run.errors;
  EXPECT_EQ(std::ranges::count(run.errors, '\n'), 2) << run.errors;  // and what was written
  EXPECT_EQ(text_of(path), text_of(features_));                      // for all the others
  // One that is asked for by its name must be there.
  const ProgramRun asked =
      run_program({"inspect", matrix_, "--features", path, "--force", "--for", "notes"}, {at});
  EXPECT_EQ(asked.exit_status, 1);
  EXPECT_TRUE(asked.errors.starts_with("sparsecast inspect: " + (folder / "notes.json").string()))
      << asked.errors;
}

TEST_F(FeaturesFiles, OptionsOfTheirsGoWithThem) {
  EXPECT_EQ(refusal({"inspect", matrix_, "--for", "nvidia-h200"}, 2),
            "sparsecast inspect: --for is for --features, which is missing\n");
}

}  // namespace
}  // namespace sparsecast::testing
