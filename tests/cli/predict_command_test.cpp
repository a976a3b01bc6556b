#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::testing {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> dense{"predict", "--profile",  "gtx280",  "--unknowns",
                                     "2236",    "--elements", "4999696", "--block",
                                     "4",       "--curve",    "maximum"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The lower triangle of the 3-point Laplacian of `size` unknowns.
void write_laplacian(const std::filesystem::path& path, int size) {
  std::ofstream file(path);
  file << "%%MatrixMarket matrix coordinate real symmetric\n"
       << size << ' ' << size << ' ' << 2 * size - 1 << '\n';
  for (int i = 1; i <= size; ++i) {
    file << i << ' ' << i << " 2\n";
    if (i < size) file << i + 1 << ' ' << i << " -1\n";
  }
}

TEST(PredictCommand, PrintsWhatThePaperSaysOfADenseMatrix) {
  const ProgramRun result = run_program(with(dense, {"--devices", "1,2"}));
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(
      result.output,
      "2 236 unknowns, 4 999 696 elements in layout bcsr4\n"
      "profile gtx280: NVIDIA GTX280, published constants; f32, maximum curves, paper model\n"
      "\n"
      "layout  devices  time/iteration  raw GFlop/s  effective  speedup  memory/device  fits\n"
      "bcsr4         1          494 us         20.3          -     1.00        21.4 MB  yes   "
      "best\n"
      "bcsr4         2          542 us         18.5          -    0.912        10.7 MB  yes   "
      "+9.59 %\n"
      "\n"
      "Where the time goes:\n"
      "layout  devices    SpMV  vector kernels  reductions  exchange  synchronisation\n"
      "bcsr4         1  63.1 %          16.3 %      20.7 %       0 %              0 %\n"
      "bcsr4         2  31.3 %          14.6 %      19.3 %    8.99 %           25.8 %\n"
      "\n"
      "Best: bcsr4 on 1 device; the second, bcsr4 on 2 devices, is 9.59 % "
      "slower.\n"
      "Against bcsr4 on 2 devices, an iteration saves 140 us of synchronisation, 48.7 us of the "
      "exchange; it adds 142 us of SpMV.\n"
      "No interval: maximum curves give the best case, not what to expect.\n");
}

TEST(PredictCommand, OfThePapersGpuPrintsTheErrorsOfItsTable6) {
  const ProgramRun result =
      run_program({"predict", "--profile", "gtx280", "--unknowns", "72000", "--elements",
                   "39336485", "--block", "4", "--devices", "1,2"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_NE(result.output.find("bcsr4         1         2.93 ms  2.42 ms to 3.51 ms"),
            std::string::npos)
      << result.output;
  EXPECT_EQ(result.output.find("No interval"), std::string::npos);
  EXPECT_EQ(result.output.find("measured/predicted"), std::string::npos);  // not published
}

TEST(PredictCommand, TellsWhatThePaperModelIsOffByBesideItsTimes) {
  const TemporaryFolder folder;
  DeviceProfile profile = read_profile("gtx280");
  profile.precisions[Precision::f32].intervals["bcsr4"].median = 1.12;
  write_profile(folder / "mine.json", profile);
  const std::vector<std::string> arguments{
      "predict",    "--profile", (folder / "mine.json").string(),
      "--unknowns", "72000",     "--elements",
      "39336485",   "--block",   "4"};
  const ProgramRun table = run_program(with(arguments, {"--wide"}));
  EXPECT_NE(table.output.find("90 % interval  measured/predicted  raw GFlop/s"), std::string::npos)
      << table.output;
  EXPECT_NE(table.output.find("2.93 ms  2.42 ms to 3.51 ms                1.12  "),
            std::string::npos)
      << table.output;
  EXPECT_NE(table.output.find("measured/predicted: what iterations took in the calibration of mine "
                              "over what the model says, in the median; the times here are the "
                              "model's own.\n"),
            std::string::npos)
      << table.output;
  const Json json = Json::parse(run_program(with(arguments, {"--json"})).output)["predictions"];
  EXPECT_EQ(json[0]["measured_over_predicted"], 1.12);
}

TEST(PredictCommand, PrintsAnArrayOfObjectsAsJson) {
  const ProgramRun result = run_program(with(dense, {"--devices", "1,2", "--json"}));
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const Json json = Json::parse(result.output)["predictions"];
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[1]["layout"], "bcsr4");
  EXPECT_EQ(json[1]["devices"], 2);
  EXPECT_EQ(json[1]["precision"], "f32");
  EXPECT_EQ(json[1]["model"], "paper");
  EXPECT_TRUE(json[1]["interval_seconds"].is_null());  // maximum curves: the best case
  EXPECT_TRUE(json[1]["measured_over_predicted"].is_null());
  EXPECT_NEAR(json[0]["seconds_per_iteration"].get<double>(), 494e-6, 0.5e-6);
  EXPECT_NEAR(json[0]["raw_gflops"].get<double>(), 20.3, 0.05);
  EXPECT_TRUE(json[0]["effective_gflops"].is_null());
  EXPECT_LT(json[1]["speedup"].get<double>(), 1);
  EXPECT_TRUE(json[1]["bytes_per_device"].is_number_integer());
  double sum = 0;
  for (const auto& [name, seconds] : json[1]["parts"].items()) sum += seconds.get<double>();
  EXPECT_NEAR(sum, json[1]["seconds_per_iteration"].get<double>(), 1e-12);
}

TEST(PredictCommand, PredictsAMatrixFileForEveryBlockSize) {
  const TemporaryFolder folder;
  write_laplacian(folder / "line.mtx", 101);
  const ProgramRun result =
      run_program({"predict", (folder / "line.mtx").string(), "--profile", "gtx280", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  const Json json = Json::parse(result.output)["predictions"];
  ASSERT_EQ(json.size(), 4u);
  EXPECT_EQ(json[0]["layout"], "csr");
  EXPECT_EQ(json[3]["layout"], "bcsr8");
  const auto flops = [&](std::size_t i, const char* kind) {
    return json[i][kind].get<double>() * json[i]["seconds_per_iteration"].get<double>() * 1e9;
  };
  EXPECT_NEAR(flops(0, "raw_gflops"), 2 * 301 + 15 * 101, 1e-6);
  EXPECT_NEAR(flops(1, "effective_gflops"), 2 * 301 + 15 * 101, 1e-6);
  // 51 block rows of 2: the diagonal and both neighbours.
  EXPECT_NEAR(flops(1, "raw_gflops"), 2 * 4 * (3 * 51 - 2) + 15 * 101, 1e-6);
}

/// `gtx280` with what a whole solve needs.
void write_profile_with_setup(const std::filesystem::path& path) {
  std::ifstream file(std::filesystem::path(SPARSECAST_SOURCE_DIR) / "profiles" / "gtx280.json");
  Json profile = Json::parse(file);
  for (const char* layout : {"csr", "bcsr2", "bcsr4", "bcsr8"}) {
    profile["precisions"]["f32"]["conversion"][layout] = {{"seconds_per_nonzero", 1e-9},
                                                          {"seconds_per_element", 2e-9}};
    profile["precisions"]["f32"]["intervals"][layout] = {
        {"low", 0.9}, {"high", 1.25}, {"samples", 40}};
  }
  profile["upload_gbps"] = 5;
  std::ofstream(path) << profile;
}

TEST(PredictCommand, ForecastsARenumberedMatrixAndSaysSo) {
  const TemporaryFolder folder;
  const std::string mixed = (folder / "mixed.mtx").string();
  const std::string narrow = (folder / "narrow.mtx").string();
  write_laplacian(folder / "line.mtx", 500);
  for (const auto& [from, order, to] :
       {std::array{(folder / "line.mtx").string(), std::string("random"), mixed},
        std::array{mixed, std::string("rcm"), narrow}}) {
    ASSERT_EQ(run_program({"generate", "renumber", "--in", from, "--order", order, "--out", to})
                  .exit_status,
              0);
  }
  const auto predict = [](const std::string& file, const std::vector<std::string>& more) {
    return run_program(with({"predict", file, "--profile", "gtx280", "--devices", "1,2"}, more));
  };

  const ProgramRun text = predict(mixed, {"--renumber", "rcm"});
  EXPECT_EQ(text.exit_status, 0) << text.errors;
  EXPECT_NE(text.output.find("1 498 nonzeros; renumbered: rcm\n"), std::string::npos)
      << text.output;

  Json expected = Json::parse(predict(narrow, {"--json"}).output)["predictions"];
  for (Json& each : expected) each["renumbering"] = "rcm";
  const ProgramRun rcm = predict(mixed, {"--renumber", "rcm", "--json"});
  EXPECT_EQ(Json::parse(rcm.output)["predictions"], expected);

  const ProgramRun of_metis = predict(mixed, {"--renumber", "metis", "--json"});
  const Json metis = Json::parse(of_metis.output)["predictions"];
  for (const Json& each : metis) {
    EXPECT_EQ(each["renumbering"], each["devices"] == 1 ? "none" : "metis");
  }
}

TEST(PredictCommand, RanksOrdersBesideEachOther) {
  const TemporaryFolder folder;
  const std::string mixed = (folder / "mixed.mtx").string();
  write_laplacian(folder / "line.mtx", 100'000);
  ASSERT_EQ(run_program({"generate", "renumber", "--in", (folder / "line.mtx").string(), "--order",
                         "random", "--out", mixed})
                .exit_status,
            0);
  const auto predict = [&](const std::vector<std::string>& more) {
    return run_program(
        with({"predict", mixed, "--profile", "nvidia-h100", "--layout", "csr", "--launch", "graph"},
             more));
  };
  const ProgramRun table = predict({"--renumber", "none,rcm"});
  ASSERT_EQ(table.exit_status, 0) << table.errors;
  for (const char* text : {"nonzeros; orders: none, rcm\n", "\nrcm    csr ",
                           "Best: csr in order rcm, fused by graph; "
                           "the second, csr in order none, ",
                           "Not in these times: making the order rcm took "}) {
    EXPECT_NE(table.output.find(text), std::string::npos) << text << table.output;
  }
  const ProgramRun of_both = predict({"--renumber", "none,rcm", "--json"});
  const Json both = Json::parse(of_both.output)["predictions"];
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0]["rank"], 2);
  for (const Json& each : both) {
    const ProgramRun run =
        predict({"--renumber", each["renumbering"].get<std::string>(), "--json"});
    const Json alone = Json::parse(run.output)["predictions"];
    EXPECT_EQ(each["seconds_per_iteration"], alone[0]["seconds_per_iteration"]);
  }
}

TEST(PredictCommand, TakesAllOrdersThatMayPay) {
  const TemporaryFolder folder;
  write_laplacian(folder / "line.mtx", 500);
  const ProgramRun run =
      run_program({"predict", (folder / "line.mtx").string(), "--profile", "gtx280", "--block", "1",
                   "--devices", "1,2", "--renumber", "all", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  std::vector<std::string> found;
  const Json json = Json::parse(run.output);
  for (const Json& each : json["predictions"]) {
    found.push_back(each["renumbering"].get<std::string>() + ' ' + each["devices"].dump());
  }
  EXPECT_EQ(found, (std::vector<std::string>{"none 1", "none 2", "rcm 1", "rcm 2", "hubs 1",
                                             "hubs 2", "metis 2"}));
}

TEST(PredictCommand, RefusesOrdersThatThereAreNot) {
  const TemporaryFolder folder;
  write_laplacian(folder / "line.mtx", 5);
  const std::vector<std::string> file{"predict", (folder / "line.mtx").string(), "--profile",
                                      "gtx280"};
  const ProgramRun numbers = run_program(with(dense, {"--renumber", "rcm"}));
  EXPECT_EQ(numbers.exit_status, 2);
  EXPECT_EQ(numbers.errors,
            "sparsecast predict: --renumber rcm orders a matrix; --unknowns and --elements are "
            "none\n");
  const ProgramRun one = run_program(with(file, {"--renumber", "metis"}));
  EXPECT_EQ(one.exit_status, 2);
  EXPECT_EQ(one.errors,
            "sparsecast predict: --renumber metis orders for several devices; --devices names "
            "one\n");
  const ProgramRun twice = run_program(with(file, {"--renumber", "rcm,none,rcm"}));
  EXPECT_EQ(twice.exit_status, 2);
  EXPECT_EQ(twice.errors,
            "sparsecast predict: --renumber rcm,none,rcm: rcm is given twice; give it once\n");
  const ProgramRun none = run_program(with(file, {"--renumber", "rcm,"}));
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_EQ(none.errors, "sparsecast predict: --renumber rcm,: expected a name between commas\n");
  const ProgramRun unknown = run_program(with(file, {"--renumber", "amd"}));
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(unknown.errors,
            "sparsecast predict: --renumber: unknown renumbering 'amd'; expected one of none, "
            "random, rcm, metis, hubs\n");
}

TEST(PredictCommand, AddsSetupToAWholeSolve) {
  const TemporaryFolder folder;
  write_laplacian(folder / "line.mtx", 5000);
  write_profile_with_setup(folder / "mine.json");
  const std::vector<std::string> arguments{"predict",      (folder / "line.mtx").string(),
                                           "--profile",    (folder / "mine.json").string(),
                                           "--iterations", "300"};
  const ProgramRun table = run_program(arguments);
  ASSERT_EQ(table.exit_status, 0) << table.errors;
  for (const char* column : {"90 % interval", "conversion", "upload", "total", "pays after"}) {
    EXPECT_NE(table.output.find(column), std::string::npos) << column;
  }
  const Json json = Json::parse(run_program(with(arguments, {"--json"})).output)["predictions"];
  ASSERT_EQ(json.size(), 4u);
  for (const Json& prediction : json) {
    const double seconds = prediction["seconds_per_iteration"].get<double>();
    EXPECT_NEAR(prediction["interval_seconds"][0].get<double>(), 0.9 * seconds, 1e-12);
    EXPECT_NEAR(prediction["interval_seconds"][1].get<double>(), 1.25 * seconds, 1e-12);
    EXPECT_NEAR(prediction["total_seconds"].get<double>(),
                prediction["conversion_seconds"].get<double>() +
                    prediction["upload_seconds"].get<double>() + 300 * seconds,
                1e-12);
  }
  EXPECT_TRUE(json[0]["pays_after_iterations"].is_null());  // CSR itself
  EXPECT_FALSE(json[1]["pays_after_iterations"].is_null());
}

TEST(PredictCommand, RanksLayoutsAndSaysAfterHowManyIterationsTheyPay) {
  const TemporaryFolder folder;
  write_laplacian(folder / "line.mtx", 5000);
  write_profile_with_setup(folder / "mine.json");
  const std::vector<std::string> arguments{"predict", (folder / "line.mtx").string(), "--profile",
                                           (folder / "mine.json").string()};
  const ProgramRun table = run_program(with(arguments, {"--wide"}));
  ASSERT_EQ(table.exit_status, 0) << table.errors;
  EXPECT_NE(table.output.find("fits  conversion  pays after"), std::string::npos) << table.output;
  EXPECT_EQ(table.output.find("total"), std::string::npos) << table.output;
  const ProgramRun run = run_program(with(arguments, {"--json"}));
  auto json = Json::parse(run.output)["predictions"].get<std::vector<Json>>();
  ASSERT_EQ(json.size(), 4u);
  std::ranges::sort(json, {}, [](const Json& each) { return each["rank"].get<int>(); });
  const double best = json[0]["seconds_per_iteration"].get<double>();
  EXPECT_TRUE(json[0]["against_best"].is_null());
  std::size_t row = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    EXPECT_EQ(json[i]["rank"], i + 1);
    EXPECT_FALSE(json[i].contains("total_seconds"));
    EXPECT_GT(json[i]["conversion_seconds"], 0.0);
    EXPECT_EQ(json[i]["pays_after_iterations"].is_null(), json[i]["layout"] == "csr");
    // The table has the same order.
    row = table.output.find('\n' + json[i]["layout"].get<std::string>() + ' ', row);
    ASSERT_NE(row, std::string::npos) << table.output;
    if (i == 0) continue;
    const Json& against = json[i]["against_best"];
    const double slower = json[i]["seconds_per_iteration"].get<double>() - best;
    EXPECT_NEAR(against["slower_by"].get<double>(), slower / best, 1e-12);
    double parts = 0;
    for (const Json& part : against["parts"]) parts += part["seconds"].get<double>();
    EXPECT_NEAR(parts, slower, 1e-12);
  }
  const std::string second = json[1]["layout"];
  EXPECT_NE(table.output.find("Against " + second + " on 1 device, an iteration saves "),
            std::string::npos)
      << table.output;
}

TEST(PredictCommand, WarnsOfAMatrixThatIsNotSymmetric) {
  const TemporaryFolder folder;
  std::ofstream(folder / "upper.mtx") << "%%MatrixMarket matrix coordinate real general\n"
                                         "2 2 3\n1 1 4\n1 2 1\n2 2 4\n";
  const ProgramRun result =
      run_program({"predict", (folder / "upper.mtx").string(), "--profile", "gtx280"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.errors.find("upper.mtx is not symmetric"), std::string::npos);
}

TEST(PredictCommand, RefusesAMatrixThatIsNotSquare) {
  const TemporaryFolder folder;
  std::ofstream(folder / "wide.mtx") << "%%MatrixMarket matrix coordinate real general\n"
                                        "2 3 2\n1 1 4\n2 2 4\n";
  const ProgramRun result =
      run_program({"predict", (folder / "wide.mtx").string(), "--profile", "gtx280"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("expected a square one"), std::string::npos);
}

TEST(PredictCommand, SaysWhatAProfileDoesNotKnowOfSetup) {
  const ProgramRun result = run_program(with(dense, {"--iterations", "1000"}));
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.output.find("No conversion time, no total"), std::string::npos);
  const Json json = Json::parse(
      run_program(with(dense, {"--iterations", "1000", "--json"})).output)["predictions"];
  EXPECT_EQ(json[0]["iterations"], 1000);
  EXPECT_TRUE(json[0]["total_seconds"].is_null());
}

TEST(PredictCommand, WarnsWhereALinkIsExtrapolated) {
  const ProgramRun result = run_program(with(dense, {"--devices", "4"}));
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_TRUE(result.errors.starts_with("sparsecast: warning: extrapolated")) << result.errors;
}

TEST(PredictCommand, WarnsThatAnEstimateIsOne) {
  const TemporaryFolder folder;
  const auto path = (folder / "new.json").string();
  ASSERT_EQ(run_program({"calibrate", "--estimate", "--sms", "132", "--threads-per-sm", "2048",
                         "--bandwidth", "4800", "--out", path})
                .exit_status,
            0);
  const ProgramRun result = run_program(
      {"predict", "--profile", path, "--unknowns", "1000", "--elements", "5000", "--block", "1"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.errors,
            "sparsecast: warning: profile new is an estimate: nothing was measured\n");
}

TEST(PredictCommand, RefusesProfilesThatThereAreNotAsWrongUse) {
  const auto refusal = [](const std::string& profile) {
    const ProgramRun result = run_program({"predict", "no.mtx", "--profile", profile});
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    return result.errors;
  };
  EXPECT_NE(refusal("nvidia-h999").find("--profile: no profile 'nvidia-h999' in "),
            std::string::npos);
  EXPECT_EQ(refusal("nvidia-h200,nvidia-h100"),
            "sparsecast predict: --profile nvidia-h200,nvidia-h100: expected one; give each its "
            "own, as --profile nvidia-h200 --profile nvidia-h100\n");
}

TEST(PredictCommand, HasNoColumnOfDevicesThatAreAllOne) {
  const ProgramRun result =
      run_program({"predict", "--unknowns", "72000", "--elements", "39336485", "--block", "4",
                   "--precision", "f32", "--profile", "gtx280", "--profile", "nvidia-h200"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output.find("  devices  "), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("  90 % interval"), std::string::npos) << result.output;
}

TEST(PredictCommand, NamesAMatrixWithoutRows) {
  const TemporaryFolder folder;
  const std::string path = (folder / "zero.mtx").string();
  write_file(path, "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
  for (const char* command : {"predict", "advise"}) {
    EXPECT_EQ(run_program({command, path, "--profile", "nvidia-h200"}).errors,
              "sparsecast " + std::string(command) + ": " + path +
                  ": the matrix has no rows; expected at least one\n");
  }
}

TEST(PredictCommand, NamesThePrecisionThatAProfileHas) {
  const ProgramRun result = run_program(with(dense, {"--precision", "f64"}));
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "sparsecast predict: --precision: profile 'gtx280' has no precision f64; it has f32\n");
}

TEST(PredictCommand, RefusesWrongUseWithStatusTwo) {
  EXPECT_EQ(run_program({"predict"}).exit_status, 2);
  EXPECT_EQ(run_program({"predict", "--profile", "gtx280"}).exit_status, 2);
  EXPECT_EQ(run_program(with(dense, {"a.mtx"})).exit_status, 2);
  EXPECT_EQ(run_program(with(dense, {"--devices", "0"})).exit_status, 2);
  EXPECT_EQ(run_program(with(dense, {"--model", "magic"})).exit_status, 2);
  EXPECT_EQ(run_program(with(dense, {"--iterations", "0"})).exit_status, 2);
  EXPECT_EQ(run_program(with(dense, {"--iterations", "2.5"})).exit_status, 2);
  const ProgramRun no_block =
      run_program({"predict", "--profile", "gtx280", "--unknowns", "10", "--elements", "50"});
  EXPECT_EQ(no_block.exit_status, 2);
  EXPECT_EQ(no_block.errors,
            "sparsecast predict: --unknowns and --elements need --layout NAME or --block N: one "
            "layout\n");
}

TEST(PredictCommand, TakesNumbersWithAnExponent) {
  const auto predict = [](const char* unknowns, const char* elements, const char* iterations) {
    return run_program({"predict", "--profile", "gtx280", "--block", "4", "--unknowns", unknowns,
                        "--elements", elements, "--iterations", iterations, "--json"});
  };
  const ProgramRun result = predict("1e4", "1.6e6", "1e3");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output, predict("10000", "1600000", "1000").output);
}

TEST(PredictCommand, RefusesNumbersThatNoMatrixHasWithStatusTwo) {
  const auto refusal = [](const char* unknowns, const char* elements, const char* block) {
    const ProgramRun result = run_program({"predict", "--profile", "gtx280", "--unknowns", unknowns,
                                           "--elements", elements, "--block", block});
    EXPECT_EQ(result.exit_status, 2) << result.output;
    return result.errors;
  };
  EXPECT_NE(refusal("10.5", "50", "1").find("--unknowns"), std::string::npos);
  EXPECT_EQ(refusal("100", "99", "1"),
            "sparsecast predict: 99 elements are fewer than a full diagonal has; expected at least "
            "100\n");
  EXPECT_EQ(refusal("100", "399", "4"),
            "sparsecast predict: 399 elements are fewer than a full diagonal of 4 x 4 blocks has; "
            "expected at least 400\n");
  EXPECT_EQ(refusal("10", "101", "1"),
            "sparsecast predict: 101 elements are more than a dense matrix has; expected at most "
            "100\n");
  EXPECT_EQ(refusal("0", "5", "1"), "sparsecast predict: unknowns must lie from 1 to 1e15\n");
}

TEST(PredictCommand, RefusesMoreDevicesThanAnyMachineHas) {
  const ProgramRun result = run_program(with(dense, {"--devices", "1,8193"}));
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors, "sparsecast predict: --devices 8193: expected 1 to 8192 devices\n");
}

TEST(PredictCommand, RefusesNumbersThatAreGivenTwice) {
  const ProgramRun devices = run_program(with(dense, {"--devices", "2,1,2"}));
  EXPECT_EQ(devices.exit_status, 2);
  EXPECT_EQ(devices.errors,
            "sparsecast predict: --devices 2,1,2: 2 is given twice; give each number once\n");
  const ProgramRun blocks =
      run_program({"predict", "a.mtx", "--profile", "gtx280", "--block", "1,1,1"});
  EXPECT_EQ(blocks.exit_status, 2);
  EXPECT_EQ(blocks.errors,
            "sparsecast predict: --block 1,1,1: csr is given twice; give each layout once\n");
  const ProgramRun comma =
      run_program({"predict", "a.mtx", "--profile", "gtx280", "--block", "1,"});
  EXPECT_EQ(comma.exit_status, 2);
  EXPECT_EQ(comma.errors, "sparsecast predict: --block : expected 1, 2, 3, 4, 6 or 8\n");
}

TEST(PredictCommand, RefusesOptionsThatThePapersModelDoesNotUse) {
  for (const auto& [option, more] :
       {std::pair{"--launch", std::vector<std::string>{"--launch", "graph"}},
        std::pair{"--schedule fused", std::vector<std::string>{"--schedule", "fused"}},
        std::pair{"--explain", std::vector<std::string>{"--explain"}},
        std::pair{"--row-deviation", std::vector<std::string>{"--row-deviation", "3"}},
        std::pair{"--longest-row", std::vector<std::string>{"--longest-row", "2236"}}}) {
    const ProgramRun result = run_program(with(dense, more));
    EXPECT_EQ(result.exit_status, 2) << option;
    EXPECT_TRUE(result.errors.starts_with("sparsecast predict: " + std::string(option) +
                                          ": of the traffic model; profile gtx280 is priced by "
                                          "model paper"))
        << result.errors;
  }
  EXPECT_EQ(run_program(with(dense, {"--schedule", "algorithm1"})).exit_status, 0);
}

TEST(PredictCommand, WarnsOfMoreDevicesThanTheProfilesMachineHas) {
  const ProgramRun two = run_program(with(dense, {"--devices", "2"}));
  EXPECT_EQ(two.errors, "");
  const ProgramRun four = run_program(with(dense, {"--devices", "4"}));
  EXPECT_EQ(four.exit_status, 0);
  EXPECT_NE(four.errors.find("warning: profile 'gtx280' is of a machine with 2 devices; how 4 work "
                             "together is not known\n"),
            std::string::npos)
      << four.errors;
}

TEST(PredictCommand, SaysThatAForecastLiesOutsideItsInterval) {
  const std::vector<std::string> arguments{
      "predict", "--profile",  "nvidia-h200", "--model", "paper", "--unknowns",
      "1e5",     "--elements", "4e6",         "--block", "6"};
  const ProgramRun f32 = run_program(with(arguments, {"--precision", "f32", "--json"}));
  ASSERT_EQ(f32.exit_status, 0) << f32.errors;
  EXPECT_NE(f32.errors.find("the paper model is known to be wrong for bcsr6 in f32: calibration "
                            "measured 1.05 to 1.65 times what it forecasts"),
            std::string::npos)
      << f32.errors;
  EXPECT_EQ(Json::parse(f32.output)["predictions"][0]["warnings"].size(), 1u);
  // In f64 nine of ten calibrated cases lay on both sides of the forecast.
  const ProgramRun inside =
      run_program({"predict", "--profile", "nvidia-h200", "--model", "paper", "--unknowns", "1e5",
                   "--elements", "4e6", "--block", "1", "--precision", "f64"});
  EXPECT_EQ(inside.errors, "");
}

TEST(PredictCommand, ShowsAnExampleThatRuns) {
  const ProgramRun help = run_program({"predict", "--help"});
  EXPECT_EQ(help.exit_status, 0);
  EXPECT_NE(help.output.find("sparsecast predict --unknowns 72000 --elements 39336485 --block 4 "
                             "--profile gtx280 --devices 1,2"),
            std::string::npos);
  EXPECT_EQ(run_program({"predict", "--unknowns", "72000", "--elements", "39336485", "--block", "4",
                         "--profile", "gtx280", "--devices", "1,2"})
                .exit_status,
            0);
}

}  // namespace
}  // namespace sparsecast::testing
