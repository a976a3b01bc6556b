#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/traffic_profile.hpp"
#include "sanitized.hpp"

namespace sparsecast::testing {
namespace {

using Json = nlohmann::json;

/// A generated matrix and a profile with a traffic model, as files.
class PredictByTraffic : public ::testing::Test {
 protected:
  void SetUp() override {
    write_profile(profile_, made_up_traffic_profile());
    ASSERT_EQ(run_program({"generate", "laplacian", "--points", "7", "--size", "20,20,20", "--out",
                           matrix_.string()})
                  .exit_status,
              0);
  }

  ProgramRun predict(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"predict", matrix_.string(), "--profile", profile_.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  ProgramRun predict_numbers(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"predict", "--profile",  profile_.string(), "--unknowns",
                                       "100000",  "--elements", "1500000"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  TemporaryFolder folder_;
  std::filesystem::path profile_ = folder_ / "mine.json";
  std::filesystem::path matrix_ = folder_ / "grid.mtx";
};

TEST_F(PredictByTraffic, ShowsScheduleAndLaunchModeOfEveryChoice) {
  const ProgramRun result = predict({});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("f64, traffic model"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("layout  schedule  launch"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("fused     persistent"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("vendor"), std::string::npos) << result.output;
}

TEST_F(PredictByTraffic, SaysWhichLayoutsAProfileDoesNotKnowWhereAskedForMore) {
  const std::string unknown =
      "no parameters in profile mine for layouts bcsr2, bcsr4, bcsr6, bcsr8, dia, "
      "sell32, sell32-sorted512, sell128";
  EXPECT_NE(predict({"--verbose"}).errors.find(unknown), std::string::npos);
  const ProgramRun usual = predict({});
  EXPECT_EQ((usual.output + usual.errors).find("arameters in profile mine"), std::string::npos);
}

/// The H200's profile knows what passes take.
TEST_F(PredictByTraffic, ForecastsSchedulesOfOnesOwn) {
  const std::string folder = std::string(SPARSECAST_SOURCE_DIR) + "/schedules/";
  const auto one = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "predict",    matrix_.string(),        "--profile", "nvidia-h200",
        "--schedule", folder + name + ".json", "--layout",  "csr",
        "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (std::ranges::count(more, "--launch") == 0) {
      arguments.insert(arguments.end(), {"--launch", "graph"});
    }
    return run_program(arguments);
  };
  double shortest = 0;
  for (const char* name : {"richardson", "cg-plain", "minres", "bicgstab", "gmres"}) {
    const ProgramRun run = one(name, {});
    ASSERT_EQ(run.exit_status, 0) << run.errors;
    const Json json = Json::parse(run.output)["predictions"];
    ASSERT_EQ(json.size(), 1u);
    EXPECT_EQ(json[0]["schedule"], name);
    // They are named from the fastest to the slowest.
    EXPECT_GT(json[0]["seconds_per_iteration"], shortest) << name;
    shortest = json[0]["seconds_per_iteration"];
    EXPECT_GT(json[0]["interval_seconds"][1], shortest);
    EXPECT_LT(json[0]["interval_seconds"][0], shortest);
  }
  const Json few = Json::parse(one("gmres", {"--set", "m=10"}).output)["predictions"];
  EXPECT_LT(few[0]["seconds_per_iteration"], 0.5 * shortest);

  const Json several = Json::parse(one("cg", {"--devices", "1,2"}).output)["predictions"];
  ASSERT_EQ(several.size(), 2u);
  EXPECT_EQ(several[1]["schedule"], "cg");
  EXPECT_EQ(several[1]["devices"], 2);
  EXPECT_TRUE(several[1]["interval_seconds"].is_null());
  // Over the fastest on one device, which is the persistent kernel.
  const double one_device =
      several[0]["speedup"].get<double>() * several[0]["seconds_per_iteration"].get<double>();
  EXPECT_DOUBLE_EQ(several[1]["speedup"],
                   one_device / several[1]["seconds_per_iteration"].get<double>());
  const Json persistent = Json::parse(one("cg", {"--launch", "persistent"}).output)["predictions"];
  EXPECT_DOUBLE_EQ(persistent[0]["seconds_per_iteration"], one_device);
  // A profile that was made before there were passes.
  const ProgramRun old = predict({"--schedule", folder + "cg.json", "--launch", "graph"});
  EXPECT_EQ(old.exit_status, 1);
  EXPECT_NE(old.errors.find("profile 'mine' has parameters for none"), std::string::npos)
      << old.errors;
}

TEST_F(PredictByTraffic, ComparesWithAllSchedules) {
  const Json json = Json::parse(predict({"--schedule", "all", "--json"}).output)["predictions"];
  ASSERT_EQ(json.size(), 7u);
  EXPECT_EQ(json[0]["schedule"], "fused");
  EXPECT_EQ(json[0]["launch"], "graph");
  EXPECT_EQ(json[0]["estimated_pattern"], false);
  EXPECT_EQ(json[1]["launch"], "persistent");
  EXPECT_EQ(json[2]["schedule"], "algorithm1");
  EXPECT_EQ(json[6]["schedule"], "vendor");
  const ProgramRun table = predict({"--schedule", "all"});
  EXPECT_NE(table.output.find("to compare"), std::string::npos) << table.output;
}

TEST_F(PredictByTraffic, ExplainsTheChoice) {
  const ProgramRun table =
      predict({"--explain", "--block", "1", "--schedule", "algorithm1", "--launch", "graph"});
  ASSERT_EQ(table.exit_status, 0) << table.errors;
  EXPECT_NE(table.output.find("Explained: layout csr, schedule algorithm1, launch graph"),
            std::string::npos)
      << table.output;
  EXPECT_NE(table.output.find("Bound by launch. "), std::string::npos) << table.output;

  const Json json = Json::parse(predict({"--explain", "--json"}).output)["predictions"];
  int explained = 0;
  for (const Json& prediction : json) {
    if (!prediction.contains("explanation")) continue;
    ++explained;
    double sum = 0;
    for (const Json& part : prediction["explanation"]["parts"]) {
      sum += part["seconds"].get<double>();
    }
    EXPECT_NEAR(sum, prediction["seconds_per_iteration"].get<double>(), 1e-15);
    EXPECT_FALSE(prediction["explanation"]["advice"].empty());
  }
  EXPECT_EQ(explained, 1);
}

TEST_F(PredictByTraffic, ExplainsAPersistentKernel) {
  const ProgramRun result = predict({"--explain", "--launch", "persistent", "--block", "1"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("sums and barriers"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("of the matrix values stay in their shared memory"),
            std::string::npos)
      << result.output;
}

TEST(PredictByShippedProfile, RecommendsCsrAdaptiveForAGraphAndHubsFirst) {
  if (tested_program_has("sanitizers")) GTEST_SKIP() << long_under_sanitizers;
  const TemporaryFolder folder;
  const std::string file = (folder / "graph.mtx").string();
  write_matrix_market(file, power_law(500'000, 12, 2.2, 1));
  const auto predict = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", file, "--profile", "nvidia-h100", "--launch", "graph"});
    const ProgramRun run = run_program(more);
    EXPECT_EQ(run.exit_status, 0) << run.errors;
    return run.output;
  };
  EXPECT_NE(predict({}).find("Best: csr-adaptive"), std::string::npos);
  const std::string to_do = "these first (hubs)";
  EXPECT_NE(predict({"--explain"}).find(to_do), std::string::npos);
  EXPECT_EQ(predict({"--explain", "--renumber", "hubs"}).find(to_do), std::string::npos);
}

TEST_F(PredictByTraffic, SaysThatAPatternIsEstimated) {
  const ProgramRun table = predict_numbers({"--block", "1", "--explain"});
  ASSERT_EQ(table.exit_status, 0) << table.errors;
  EXPECT_NE(table.output.find("estimated pattern"), std::string::npos) << table.output;
  const Json json =
      Json::parse(predict_numbers({"--block", "1", "--row-deviation", "20", "--longest-row", "3000",
                                   "--launch", "graph", "--json"})
                      .output)["predictions"];
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["estimated_pattern"], true);
}

TEST_F(PredictByTraffic, RefusesRowNumbersThatNobodyUses) {
  EXPECT_EQ(predict({"--longest-row", "30"}).exit_status, 2);
  const ProgramRun result =
      run_program({"predict", "--profile", "gtx280", "--unknowns", "1000", "--elements", "5000",
                   "--block", "1", "--longest-row", "30"});
  EXPECT_EQ(result.exit_status, 2);
  const ProgramRun shorter = predict_numbers({"--block", "1", "--longest-row", "14"});
  EXPECT_EQ(shorter.exit_status, 2);
  EXPECT_EQ(shorter.errors,
            "sparsecast predict: a longest row must have from 15 entries, the mean, to the number "
            "of unknowns\n");
}

TEST_F(PredictByTraffic, TakesTheNumbersThatInspectPrints) {
  const auto seconds = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"--block", "1", "--launch", "graph", "--json"};
    all.insert(all.end(), more.begin(), more.end());
    const ProgramRun result = predict_numbers(all);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return Json::parse(result.output)
        .at("predictions")
        .at(0)
        .at("seconds_per_iteration")
        .get<double>();
  };
  const std::vector<std::string> near{"--row-deviation", "1",   "--mean-distance",  "100",
                                      "--neighbours",    "1.2", "--row-similarity", "0.9"};
  std::vector<std::string> far = near;
  far[3] = "3000";
  far[7] = "0.1";
  EXPECT_LT(seconds(near), seconds(far));
}

TEST_F(PredictByTraffic, RefusesNumbersOfRowsInOneLine) {
  for (const auto& [option, value, what] :
       {std::tuple{"--mean-distance", "1e9",
                   "a mean distance from the diagonal must lie from 0 to the number of unknowns "
                   "less 1"},
        std::tuple{"--neighbours", "2.5", "neighbours of an entry in its row must lie from 0 to 2"},
        std::tuple{"--row-similarity", "-1",
                   "a similarity of neighbouring rows must lie from 0 to 1"}}) {
    const ProgramRun result = predict_numbers({"--block", "1", std::string(option) + "=" + value});
    EXPECT_EQ(result.exit_status, 2) << option;
    EXPECT_EQ(result.errors, "sparsecast predict: " + std::string(what) + "\n");
    const ProgramRun with_matrix = predict({option, "1"});
    EXPECT_EQ(with_matrix.exit_status, 2);
    EXPECT_NE(with_matrix.errors.find(std::string(option) + " goes with --unknowns"),
              std::string::npos)
        << with_matrix.errors;
  }
}

TEST_F(PredictByTraffic, ComparesEveryChoiceOnOneDeviceWithTheFastest) {
  const Json json =
      Json::parse(predict({"--schedule", "all", "--block", "1", "--launch", "graph", "--json"})
                      .output)["predictions"];
  const Json fused = Json::parse(predict({"--block", "1", "--json"}).output)["predictions"];
  double fastest = 1;
  for (const Json& each : fused) {
    fastest = std::min(fastest, each["seconds_per_iteration"].get<double>());
  }
  ASSERT_EQ(json.size(), 3u);
  for (const Json& each : json) {
    EXPECT_NEAR(each["speedup"].get<double>() * each["seconds_per_iteration"].get<double>(),
                fastest, 1e-12);
  }
}

TEST_F(PredictByTraffic, RefusesMaximumCurvesWhichItHasNot) {
  for (const char* command : {"predict", "advise"}) {
    const ProgramRun result = run_program(
        {command, matrix_.string(), "--profile", profile_.string(), "--curve", "maximum"});
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.errors, "sparsecast " + std::string(command) +
                                 ": --curve maximum: profile mine is priced by the traffic model, "
                                 "which has no curves; add --model paper\n");
  }
  EXPECT_EQ(run_program({"map", "--profile", profile_.string(), "--curve", "maximum", "--json"})
                .exit_status,
            2);
}

TEST_F(PredictByTraffic, RefusesChoicesWithoutKernels) {
  const auto refusal = [&](const std::vector<std::string>& more) {
    const ProgramRun result = predict(more);
    EXPECT_EQ(result.exit_status, 2) << result.output;
    return result.errors;
  };
  EXPECT_EQ(refusal({"--launch", "persistent", "--block", "1,4"}),
            "sparsecast predict: --launch persistent: there is none for other layouts than csr "
            "and bcsr3\n");
  EXPECT_EQ(refusal({"--launch", "persistent", "--schedule", "all"}),
            "sparsecast predict: --launch persistent: there is none for algorithm1: it has a step "
            "'CG3'\n");
  EXPECT_EQ(refusal({"--launch", "plain", "--devices", "1,2"}),
            "sparsecast predict: --launch plain: there is none for several --devices, which run "
            "graphs\n");
  EXPECT_EQ(refusal({"--schedule", "vendor", "--devices", "1,2"}),
            "sparsecast predict: --schedule vendor: there is none for several --devices\n");
  EXPECT_EQ(refusal({"--schedule", "vendor", "--block", "1,3"}),
            "sparsecast predict: --schedule vendor: there is none for other layouts than "
            "csr\n");
}

TEST_F(PredictByTraffic, RefusesALayoutThatTheProfileDoesNotKnow) {
  const ProgramRun result = predict({"--block", "1,2"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors,
            "sparsecast predict: layout bcsr2: profile 'mine' has no parameters for it in f64, or "
            "there are no such kernels; calibrate the device with this version, or leave it out\n");
}

TEST_F(PredictByTraffic, ForecastsNoLayoutThatIsForComparisons) {
  const auto refusal = [&](const std::string& profile, const std::string& layout) {
    const ProgramRun result =
        run_program({"predict", matrix_.string(), "--profile", profile, "--layout", layout});
    EXPECT_EQ(result.exit_status, 1) << layout;
    return result.errors;
  };
  // As of a library's products, whatever a format could refuse.
  // That of an H200 knows some of them.
  const std::map<std::string, std::vector<std::string>> unknown{
      {profile_.string(),
       {"ell", "csr-scalar", "csr-vector", "coo", "hyb-paper", "sell8", "sell32-sorted"}},
      {"nvidia-h200", {"sell8", "sell32-sorted"}}};
  for (const auto& [profile, layouts] : unknown) {
    const std::string of_library = refusal(profile, "cusparse");
    for (const std::string& layout : layouts) {
      std::string expected = of_library;
      const std::size_t name = expected.find("cusparse");
      if (name != std::string::npos) expected.replace(name, 8, layout);
      EXPECT_EQ(refusal(profile, layout), expected);
    }
  }
}

TEST_F(PredictByTraffic, ForecastsDiagonalsThatTheProfileKnows) {
  write_profile(profile_, with_dia(made_up_traffic_profile()));
  const ProgramRun table = predict({"--verbose"});
  ASSERT_EQ(table.exit_status, 0) << table.errors;
  EXPECT_NE(table.output.find("dia     fused     graph"), std::string::npos) << table.output;
  EXPECT_NE(table.errors.find("for layouts bcsr2, bcsr4, bcsr6, bcsr8, sell32, "
                              "sell32-sorted512, sell128\n"),
            std::string::npos)
      << table.errors;
  const Json json = Json::parse(
      predict({"--layout", "dia,csr", "--launch", "graph", "--json"}).output)["predictions"];
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["layout"], "dia");
  EXPECT_EQ(json[1]["layout"], "csr");
  EXPECT_FALSE(json[0].contains("block"));
  const Json advice = Json::parse(run_program({"advise", matrix_.string(), "--profile",
                                               profile_.string(), "--layout", "dia", "--json"})
                                      .output);
  EXPECT_EQ(advice["recommended"]["layout"], "dia");
}

TEST_F(PredictByTraffic, RefusesDiagonalsInOneLineWhereTheyAreNotStored) {
  write_profile(profile_, with_dia(made_up_traffic_profile()));
  const std::string scattered = (folder_ / "scattered.mtx").string();
  ASSERT_EQ(run_program(
                {"generate", "random", "--rows", "20000", "--row-length", "8", "--out", scattered})
                .exit_status,
            0);
  const ProgramRun result =
      run_program({"predict", scattered, "--profile", profile_.string(), "--layout", "dia"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_TRUE(result.errors.starts_with("sparsecast predict: layout dia: the nonzeros lie on "))
      << result.errors;
  EXPECT_TRUE(result.errors.ends_with("use csr\n")) << result.errors;
  EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1);
}

TEST_F(PredictByTraffic, RefusesLayoutsOfWhichNumbersDoNotSayEnough) {
  const std::string refusal =
      "--layout: layout dia: unknowns and elements alone do not say how much it stores; give the "
      "matrix itself\n";
  const ProgramRun predicted = predict_numbers({"--layout", "dia"});
  EXPECT_EQ(predicted.exit_status, 2);
  EXPECT_EQ(predicted.errors, "sparsecast predict: " + refusal);
  const ProgramRun advised = run_program({"advise", "--profile", profile_.string(), "--unknowns",
                                          "100000", "--elements", "1500000", "--layout", "dia"});
  EXPECT_EQ(advised.exit_status, 2);
  EXPECT_EQ(advised.errors, "sparsecast advise: " + refusal);
  const ProgramRun mapped =
      run_program({"map", "--profile", profile_.string(), "--layout", "dia", "--json"});
  EXPECT_EQ(mapped.exit_status, 2);
  EXPECT_EQ(mapped.errors, "sparsecast map: " + refusal);
}

TEST_F(PredictByTraffic, RefusesLayoutsThatNobodyKnowsAndTwoWaysToNameThem) {
  const ProgramRun misspelt = predict({"--layout", "bscr3"});
  EXPECT_EQ(misspelt.exit_status, 2);
  EXPECT_NE(misspelt.errors.find("did you mean 'bcsr3'?"), std::string::npos) << misspelt.errors;
  const ProgramRun both = predict({"--layout", "csr", "--block", "1"});
  EXPECT_EQ(both.exit_status, 2);
  EXPECT_EQ(both.errors,
            "sparsecast predict: --block and --layout are given; expected one of them\n");
}

TEST_F(PredictByTraffic, RefusesWhatACpuDoesNotHave) {
  const std::string cpu = (folder_ / "cpu.json").string();
  write_profile(cpu, made_up_cpu_profile(2));
  const auto refusal = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"predict", matrix_.string(), "--profile", cpu};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 2) << result.output;
    return result.errors;
  };
  EXPECT_EQ(refusal({"--launch", "graph"}),
            "sparsecast predict: --launch: profile cpu is of a CPU, which has no launch modes\n");
  EXPECT_EQ(refusal({"--schedule", "vendor"}),
            "sparsecast predict: --schedule vendor: profile cpu is of a CPU, which has no cuSPARSE "
            "and cuBLAS\n");
  EXPECT_EQ(refusal({"--devices", "1,2"}),
            "sparsecast predict: --devices 1,2: profile cpu is of a CPU, which is one device by "
            "the traffic model; use --devices 1, --network NAME for several, or "
            "--model paper\n");
}

TEST_F(PredictByTraffic, RefusesAModelThatTheProfileDoesNotHaveInOneLine) {
  const ProgramRun cache = predict({"--model", "cache"});
  EXPECT_EQ(cache.exit_status, 1);
  EXPECT_EQ(cache.errors,
            "sparsecast predict: profile 'mine' has no model 'cache'; its best is 'traffic'\n");
  EXPECT_EQ(predict({"--model", "paper"}).exit_status, 1);  // it has no curves
  const ProgramRun traffic =
      run_program({"predict", "--profile", "gtx280", "--unknowns", "1000", "--elements", "5000",
                   "--block", "1", "--model", "traffic"});
  EXPECT_EQ(traffic.exit_status, 1);
  EXPECT_EQ(traffic.errors,
            "sparsecast predict: profile 'gtx280' has no model 'traffic'; its best is 'paper'\n");
}

TEST_F(PredictByTraffic, RefusesWrongChoicesWithStatusTwo) {
  EXPECT_EQ(predict({"--schedule", "magic"}).exit_status, 2);
  EXPECT_EQ(predict({"--launch", "auto"}).exit_status, 2);
  EXPECT_EQ(predict({"--devices", "2"}).exit_status, 1);
}

TEST_F(PredictByTraffic, AdvisesWithIt) {
  const ProgramRun result =
      run_program({"advise", matrix_.string(), "--profile", "gtx280", "--profile",
                   profile_.string(), "--max-devices", "2", "--precision", "f32"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find(", launch persistent: "), std::string::npos) << result.output;
}

}  // namespace
}  // namespace sparsecast::testing
