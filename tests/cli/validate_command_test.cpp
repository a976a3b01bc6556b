#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/file_output.hpp"
#include "core/generators.hpp"
#include "core/gpu_devices.hpp"
#include "core/matrix_market.hpp"
#include "model/device_profile.hpp"
#include "predict/validation.hpp"

namespace sparsecast::testing {
namespace {

/// Two matrices in two block sizes, with round errors.
ValidationData made_up_data() {
  ValidationData data;
  data.about = {{"profile", "card"}, {"date", "2026-01-02T03:04:05Z"}};
  for (const std::string name : {"small", "large"}) {
    for (const int block : {1, 4}) {
      ValidationRow row;
      row.matrix = row.pattern = name;
      row.unknowns = name == "small" ? 1000 : 2000000;
      row.nonzeros = 5 * row.unknowns;
      row.block = block;
      row.block_elements = row.nonzeros * block;
      row.working_set_bytes = 100.0 * static_cast<double>(row.nonzeros);
      row.measured_seconds = name == "small" ? 2e-6 * block : 8e-3 / block;
      row.predicted_seconds = row.measured_seconds * (block == 1 ? 0.8 : 1.25);
      row.baseline_seconds = row.measured_seconds / 2;
      row.measured_spread = 0.01;
      row.measured_error = 0.002;
      row.rounds = 10;
      row.interval_seconds = Interval{row.predicted_seconds * 0.8, row.predicted_seconds * 1.25};
      data.rows.push_back(row);
    }
  }
  return data;
}

std::string written(const TemporaryFolder& folder) {
  const std::string path = (folder / "raw.csv").string();
  write_file(path, validation_to_csv(made_up_data()));
  return path;
}

TEST(ValidateCommand, PrintsTable6OfRawDataWithoutRunning) {
  const TemporaryFolder folder;

  const ProgramRun result = run_program({"validate", "--from", written(folder)});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_NE(result.output.find("precision  devices  block  matrices  mean perf. error"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("f64              1      1         2             0.250"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("below 5 MB"), std::string::npos);
  EXPECT_NE(result.output.find("above 150 MB"), std::string::npos);
  EXPECT_NE(result.output.find("Regret"), std::string::npos);
}

TEST(ValidateCommand, PrintsNumbersAsJson) {
  const TemporaryFolder folder;

  const ProgramRun result = run_program({"validate", "--from", written(folder), "--json"});

  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["rows"].size(), 4u);
  EXPECT_NEAR(json["table6"][1]["model"]["mean_performance_error"].get<double>(), 0.2, 1e-12);
  EXPECT_NEAR(json["table6"][1]["baseline"]["mean_time_error"].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(json["overall"]["model"]["coverage"], 1.0);
  EXPECT_EQ(json["regret"][0]["max"], 0.0);
}

TEST(ValidateCommand, DrawsFigure10) {
  const TemporaryFolder folder;
  const std::string figure = (folder / "figure.svg").string();

  const ProgramRun result = run_program({"validate", "--from", written(folder), "--plot", figure});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const std::string svg = read_file(figure);
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("measured, 1 device"), std::string::npos);
  EXPECT_NE(svg.find("4 × 4 blocks, f64"), std::string::npos);
  EXPECT_NE(svg.find("large"), std::string::npos);
}

/// The paper's card as if it were this machine's CPU: a profile to run `validate` with.
std::string cpu_profile(const TemporaryFolder& folder) {
  DeviceProfile profile = read_profile("gtx280");
  profile.kind = DeviceProfile::Kind::cpu;
  const std::string path = (folder / "host.json").string();
  write_profile(path, profile);
  return path;
}

TEST(ValidateCommand, MeasuresAFolderAndWritesItsRawData) {
  const TemporaryFolder folder;
  const std::string profile = cpu_profile(folder);
  std::filesystem::create_directory(folder / "matrices");
  write_matrix_market(folder / "matrices/a.mtx", laplacian(5, 12, 12));
  write_matrix_market(folder / "matrices/b.mtx.gz", laplacian(7, 6, 6, 6), {.symmetric = true});
  std::ofstream(folder / "matrices/complex.mtx")
      << "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n";
  std::ofstream(folder / "matrices/wide.mtx")
      << "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1\n";
  const std::string raw = (folder / "raw.csv").string();

  const ProgramRun result = run_program(
      {"validate", (folder / "matrices").string(), "--profile", profile, "--block", "1,2",
       "--devices", "1,2", "--schedule", "algorithm1", "--seconds-per-case", "0.01", "--csv", raw});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.errors.find("skipped"), std::string::npos);
  EXPECT_NE(result.errors.find("complex.mtx"), std::string::npos);
  EXPECT_NE(result.errors.find("wide: 1 rows and 2 columns"), std::string::npos) << result.errors;
  const ValidationData data = parse_validation_csv(read_file(raw), raw);
  EXPECT_EQ(data.rows.size(), 8u);
  EXPECT_EQ(data.about.at("profile"), "host");
}

TEST(ValidateCommand, MeasuresMetisOrdersOnSeveralDevices) {
  const TemporaryFolder folder;
  const std::string profile = cpu_profile(folder);
  const std::string matrix = (folder / "a.mtx").string();
  write_matrix_market(matrix, laplacian(5, 12, 12));
  const std::string raw = (folder / "raw.csv").string();
  const auto validate = [&](const std::string& devices, const std::string& orders) {
    return run_program({"validate", matrix, "--profile", profile, "--block", "1", "--devices",
                        devices, "--schedule", "algorithm1", "--renumber", orders,
                        "--seconds-per-case", "0.01", "--csv", raw});
  };
  const auto cases = [&] {
    std::set<std::pair<std::string, int>> all;
    for (const ValidationRow& row : parse_validation_csv(read_file(raw), raw).rows) {
      all.emplace(row.renumbering, row.devices);
    }
    return all;
  };
  using Cases = std::set<std::pair<std::string, int>>;

  ASSERT_EQ(validate("1,2", "none,metis").exit_status, 0);
  EXPECT_EQ(cases(), (Cases{{"none", 1}, {"none", 2}, {"metis", 2}}));

  ASSERT_EQ(validate("1", "all").exit_status, 0);
  EXPECT_EQ(cases(), (Cases{{"none", 1}, {"random", 1}, {"rcm", 1}}));

  const ProgramRun refused = validate("1", "none,metis");
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_EQ(refused.errors,
            "sparsecast validate: --renumber metis orders for several devices; --devices names "
            "one\n");
}

TEST(ValidateCommand, PricesRawDataAgainWithoutMatrices) {
  const TemporaryFolder folder;
  const std::string profile = cpu_profile(folder);
  const std::string raw = (folder / "raw.csv").string();
  const std::string again = (folder / "again.csv").string();
  const ProgramRun measured =
      run_program({"validate", "--generated", "--largest", "2000", "--profile", profile, "--block",
                   "1,2", "--schedule", "all", "--seconds-per-case", "0.001", "--csv", raw});
  ASSERT_EQ(measured.exit_status, 0) << measured.errors;

  const ProgramRun priced =
      run_program({"validate", "--from", raw, "--profile", profile, "--model", "paper", "--csv",
                   again, "--scatter", (folder / "scatter.svg").string()});

  EXPECT_EQ(priced.exit_status, 0) << priced.errors;
  ValidationData before = parse_validation_csv(read_file(raw), raw);
  EXPECT_FALSE(before.rows.empty());
  EXPECT_EQ(parse_validation_csv(read_file(again), again).rows, before.rows);
  EXPECT_NE(read_file((folder / "scatter.svg").string()).find("algorithm1"), std::string::npos);
  EXPECT_NE(priced.output.find(" generated; none was in a fit"), std::string::npos);

  const ProgramRun unknown =
      run_program({"validate", "--from", raw, "--profile", profile, "--model", "guess"});
  EXPECT_EQ(unknown.exit_status, 1);
  EXPECT_NE(unknown.errors.find("unknown model 'guess'"), std::string::npos) << unknown.errors;
}

TEST(ValidateCommand, TakesTheFastestOfSeveralRunsAndSaysHowWellTheyAgree) {
  const TemporaryFolder folder;
  const std::string profile = cpu_profile(folder);
  const std::string monday = (folder / "monday.csv").string();
  const std::string friday = (folder / "friday.csv").string();
  const std::string both = (folder / "both.csv").string();
  write_matrix_market(folder / "a.mtx", laplacian(5, 12, 12));
  const ProgramRun measured =
      run_program({"validate", (folder / "a.mtx").string(), "--profile", profile, "--schedule",
                   "fused", "--seconds-per-case", "0.001", "--csv", monday});
  ASSERT_EQ(measured.exit_status, 0) << measured.errors;
  ValidationData run = parse_validation_csv(read_file(monday), monday);
  for (ValidationRow& row : run.rows) {
    row.visits = 1;
    row.second_seconds = 0;
    row.measured_error = 0.01;
  }
  write_file(monday, validation_to_csv(run));
  for (ValidationRow& row : run.rows) row.measured_seconds *= 1.25;
  write_file(friday, validation_to_csv(run));

  const ProgramRun result = run_program(
      {"validate", "--from", friday, "--from", monday, "--profile", profile, "--csv", both});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("runs: 2\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("6 cases are the fastest of 2 visits; the second fastest took 25.0 "
                               "% longer in the median, 25.0 % at most in nine of ten."),
            std::string::npos)
      << result.output;
  const ValidationData fastest = parse_validation_csv(read_file(both), both);
  ASSERT_EQ(fastest.rows.size(), run.rows.size());
  EXPECT_EQ(fastest.rows[0].second_seconds, run.rows[0].measured_seconds);

  const ProgramRun unpriced = run_program({"validate", "--from", friday, "--from", monday});
  EXPECT_EQ(unpriced.exit_status, 2);
  EXPECT_NE(unpriced.errors.find("--profile"), std::string::npos) << unpriced.errors;
}

TEST(ValidateCommand, RefusesSolversThatThereAreNot) {
  const TemporaryFolder folder;
  const std::string profile = cpu_profile(folder);
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--schedule", "gmres"},
        std::vector<std::string>{"--schedule", "vendor"},
        std::vector<std::string>{"--launch", "graph"},
        std::vector<std::string>{"--device", "cuda:0,cuda:1"},
        std::vector<std::string>{"--renumber", "alphabetical"}}) {
    std::vector<std::string> arguments{"validate", "--generated", "--profile", profile};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 2) << result.errors;
    EXPECT_NE(result.errors.find(options[0]), std::string::npos) << result.errors;
  }
}

TEST(ValidateCommand, MeasuresOtherGeneratedMatricesOfAnotherSeed) {
  const TemporaryFolder folder;
  const std::string profile = cpu_profile(folder);
  const auto patterns = [&](const char* seed) {
    const std::string raw = (folder / (std::string(seed) + ".csv")).string();
    const ProgramRun result =
        run_program({"validate", "--generated", "--seed", seed, "--largest", "2000", "--profile",
                     profile, "--block", "1", "--precision", "f64", "--schedule", "fused",
                     "--seconds-per-case", "0.001", "--csv", raw});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    std::set<std::string> found;
    for (const ValidationRow& row : parse_validation_csv(read_file(raw), raw).rows) {
      found.insert(row.pattern);
    }
    return found;
  };
  const std::set<std::string> first = patterns("1");
  EXPECT_FALSE(first.empty());
  const std::set<std::string> second = patterns("2");
  EXPECT_FALSE(second.empty());
  for (const std::string& pattern : second) EXPECT_FALSE(first.contains(pattern));

  write_matrix_market(folder / "a.mtx", laplacian(3, 5));
  const ProgramRun refused =
      run_program({"validate", (folder / "a.mtx").string(), "--seed", "2", "--profile", profile});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_EQ(refused.errors,
            "sparsecast validate: --seed: of generated matrices; give --generated\n");
}

TEST(ValidateCommand, RefusesAGpuProfileOnACpu) {
  const TemporaryFolder folder;
  write_matrix_market(folder / "a.mtx", laplacian(3, 5));

  const ProgramRun result =
      run_program({"validate", (folder / "a.mtx").string(), "--profile", "gtx280"});

  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("profile gtx280 describes NVIDIA GTX280"), std::string::npos)
      << result.errors;
}

TEST(ValidateCommand, MeasuresOnAGpuBesideThePredictionOfAnyProfileOrSaysThatThereIsNone) {
  const TemporaryFolder folder;
  write_matrix_market(folder / "a.mtx", laplacian(5, 30, 30));
  const std::string raw = (folder / "raw.csv").string();

  const ProgramRun result =
      run_program({"validate", (folder / "a.mtx").string(), "--profile", "gtx280", "--device",
                   "cuda:0", "--block", "1,2", "--seconds-per-case", "0.01", "--csv", raw});

  const GpuList gpus = list_gpus();
  if (gpus.devices.empty()) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE(result.errors.find("no device 'cuda:0': " + gpus.absence), std::string::npos)
        << result.errors;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    return;
  }
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const ValidationData data = parse_validation_csv(read_file(raw), raw);
  EXPECT_NE(data.about.at("run on").find("cuda:0"), std::string::npos);
  EXPECT_FALSE(data.rows.empty());
  std::set<std::string> solvers;
  for (const ValidationRow& row : data.rows) {
    EXPECT_GT(row.measured_seconds, 0);
    EXPECT_EQ(row.segments.size(), 1u);
    EXPECT_TRUE(row.access.has_value());
    if (row.schedule == "algorithm1") {
      EXPECT_GT(row.predicted_seconds, 0);
    }
    solvers.insert(row.schedule + ' ' + row.launch);
  }
  EXPECT_EQ(solvers, (std::set<std::string>{"algorithm1 graph", "fused graph", "fused persistent",
                                            "spmv graph", "vendor graph"}));
}

TEST(ValidateCommand, RefusesDevicesThatItCannotMeasureOn) {
  const TemporaryFolder folder;
  write_matrix_market(folder / "a.mtx", laplacian(3, 5));
  const std::string matrix = (folder / "a.mtx").string();

  for (const std::vector<std::string>& options : {std::vector<std::string>{"--device", "gpu"},
                                                  std::vector<std::string>{"--device", "disk:0"}}) {
    std::vector<std::string> arguments{"validate", matrix, "--profile", "gtx280"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_NE(result.errors.find("sparsecast validate: --device"), std::string::npos)
        << result.errors;
  }
}

TEST(ValidateCommand, RefusesMoreDevicesThanAnyMachineHasAndNumbersThatAreGivenTwice) {
  const auto refusal = [](const char* devices) {
    const ProgramRun result =
        run_program({"validate", "--generated", "--profile", "gtx280", "--devices", devices});
    EXPECT_EQ(result.exit_status, 2);
    return result.errors;
  };
  EXPECT_EQ(refusal("2000"), "sparsecast validate: --devices 2000: expected 1 to 1024 devices\n");
  EXPECT_EQ(refusal("1,1"),
            "sparsecast validate: --devices 1,1: 1 is given twice; give each number once\n");
}

TEST(ValidateCommand, NamesAMissingFileBeforeAnythingIsMeasured) {
  const TemporaryFolder folder;

  const ProgramRun result =
      run_program({"validate", "no_such.mtx", "--profile", cpu_profile(folder)});

  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors, "sparsecast validate: no_such.mtx: no such file or folder\n");
}

TEST(ValidateCommand, TakesRawDataOrMatricesButNotBoth) {
  const ProgramRun result = run_program({"validate", "a.mtx", "--from", "raw.csv"});

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("--from"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast::testing
