#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "calibrate/sample.hpp"
#include "cli/gpus_of_tested_program.hpp"
#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/files/text_file.hpp"
#include "core/base/text/short_number.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"
#include "model/profile/device_profile.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/validation/data/validation_csv.hpp"
#include "predict/validation/unrelated_matrices.hpp"

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
      row.layout = block_layout(block);
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

  const ProgramRun result = run_program({"validate", "--from", written(folder), "--wide"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_NE(result.output.find("precision  devices  layout  matrices  mean perf. error"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("f64              1  csr            2            25.0 %"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("below 5 MB"), std::string::npos);
  EXPECT_NE(result.output.find("above 150 MB"), std::string::npos);
  EXPECT_NE(result.output.find("Regret"), std::string::npos);
}

/// Every tenth sample of the shipped H200, of a device of this name.
std::string some_samples(const TemporaryFolder& folder, const std::string& device) {
  SampleFile file = read_samples(SPARSECAST_SOURCE_DIR "/profiles/nvidia-h200.samples.csv.gz");
  std::vector<Sample> some;
  for (std::size_t i = 0; i < file.samples.size(); i += 10) some.push_back(file.samples[i]);
  file.samples = std::move(some);
  file.origin.device = device;
  const std::filesystem::path path = folder / "some.samples.csv.gz";
  write_samples(path, file);
  return path.string();
}

constexpr const char* shipped_cases =
    SPARSECAST_SOURCE_DIR "/docs/validation/nvidia-h200-dia.csv.gz";

TEST(ValidateCommand, SetsARegressionBesideTheModel) {
  const TemporaryFolder folder;
  const std::string samples = some_samples(folder, "NVIDIA H200");
  const std::string raw = (folder / "raw.csv").string();

  const ProgramRun result =
      run_program({"validate", "--from", shipped_cases, "--profile", "nvidia-h200", "--regression",
                   samples, "--csv", raw, "--json"});

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto json = nlohmann::json::parse(result.output);
  ASSERT_EQ(json["headlines"].size(), 3u);
  for (const auto& line : json["headlines"]) {
    EXPECT_EQ(line["regression"]["matrices"], line["model"]["matrices"]);
    EXPECT_GT(line["regression"]["mean_time_error"], line["model"]["mean_time_error"]);
    EXPECT_LT(line["regression"]["mean_time_error"], 0.5);
    EXPECT_EQ(line["roofline"]["cases"], line["model"]["cases"]);
  }
  // They are kept, and printed again without samples.
  const ProgramRun again = run_program({"validate", "--from", raw});
  EXPECT_EQ(again.exit_status, 0) << again.errors;
  EXPECT_NE(again.output.find("product alone   regression"), std::string::npos) << again.output;
}

TEST(ValidateCommand, RefusesRegressionsOfOtherDevicesAndWithoutPrices) {
  const TemporaryFolder folder;
  const std::string samples = some_samples(folder, "another GPU");

  const ProgramRun other = run_program(
      {"validate", "--from", shipped_cases, "--profile", "nvidia-h200", "--regression", samples});
  EXPECT_EQ(other.exit_status, 1);
  EXPECT_NE(other.errors.find("samples of 'another GPU'; the profile is of 'NVIDIA H200'"),
            std::string::npos)
      << other.errors;

  const ProgramRun unpriced =
      run_program({"validate", "--from", shipped_cases, "--regression", samples});
  EXPECT_EQ(unpriced.exit_status, 2);
  EXPECT_NE(unpriced.errors.find("--regression: prices raw data again"), std::string::npos)
      << unpriced.errors;
}

TEST(ValidateCommand, AsksForAProfileWhereNoCaseHasAForecast) {
  const TemporaryFolder folder;
  ValidationData data = made_up_data();
  for (ValidationRow& row : data.rows) {
    row.predicted_seconds = 0;
    row.interval_seconds.reset();
  }
  const std::string raw = (folder / "raw.csv").string();
  write_file(raw, validation_to_csv(data));
  const ProgramRun result = run_program({"validate", "--from", raw});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("No case has a forecast: give the profile that makes them, "
                               "--profile P.\n"),
            std::string::npos)
      << result.output;
  for (const char* title : {"Table 6", "Errors of time", "Regret"}) {
    EXPECT_EQ(result.output.find(title), std::string::npos) << title;
  }
}

TEST(ValidateCommand, PrintsNoEmptyTables) {
  const TemporaryFolder folder;
  ValidationData data = made_up_data();
  for (ValidationRow& row : data.rows) row.schedule = "cg";
  const std::string raw = (folder / "raw.csv").string();
  write_file(raw, validation_to_csv(data));
  const ProgramRun result = run_program({"validate", "--from", raw});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output.find("Table 6"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("By solver"), std::string::npos) << result.output;
}

TEST(ValidateCommand, WarnsOfDuplicatesOnce) {
  const TemporaryFolder folder;
  const std::string path = (folder / "twice.mtx").string();
  write_file(path,
             "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n2 2 4\n1 1 1\n1 1 1\n");
  const ProgramRun result =
      run_program({"validate", path, "--profile", "amd-epyc-zen4-2cores", "--layout", "csr",
                   "--schedule", "spmv", "--seconds-per-case", "0.001"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const std::string warning = "2 entries stand where an earlier one does";
  const std::size_t first = result.errors.find(warning);
  ASSERT_NE(first, std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find(warning, first + 1), std::string::npos) << result.errors;
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
  EXPECT_EQ(json["rows"][1]["layout"], "bcsr4");
  EXPECT_FALSE(json["rows"][1].contains("block"));
  EXPECT_EQ(json["table6"][0]["layout"], "csr");
  EXPECT_EQ(json["table6"][1]["layout"], "bcsr4");
}

TEST(ValidateCommand, DrawsFigure10) {
  const TemporaryFolder folder;
  const std::string figure = (folder / "figure.svg").string();

  const ProgramRun result = run_program({"validate", "--from", written(folder), "--plot", figure});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const std::string svg = read_file(figure);
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("measured, 1 device"), std::string::npos);
  EXPECT_NE(svg.find("bcsr4, f64"), std::string::npos);
  EXPECT_NE(svg.find("large"), std::string::npos);
}

TEST(ValidateCommand, SaysHowManyCasesAreLeftOut) {
  const TemporaryFolder folder;
  ValidationData data = made_up_data();
  data.rows[0].predicted_seconds = 0;
  data.rows[0].interval_seconds.reset();
  for (ValidationRow& row : data.rows) row.paper_seconds = 1e-3;
  const std::string raw = (folder / "raw.csv").string();
  write_file(raw, validation_to_csv(data));

  const ProgramRun result = run_program({"validate", "--from", raw});

  EXPECT_NE(result.output.find("Left out: the model has no forecast of 1 case (algorithm1 f64 1)"),
            std::string::npos)
      << result.output;
  EXPECT_EQ(result.output.find("Left out: the paper"), std::string::npos);
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

TEST(ValidateCommand, MeasuresSchedulesOfOnesOwn) {
  const TemporaryFolder folder;
  const std::string profile = cpu_profile(folder);
  const std::string matrix = (folder / "a.mtx").string();
  write_matrix_market(matrix, laplacian(5, 12, 12));
  const std::string raw = (folder / "raw.csv").string();
  const std::string own = std::string(SPARSECAST_SOURCE_DIR) + "/schedules/";
  const ProgramRun result =
      run_program({"validate", matrix, "--profile", profile, "--block", "1", "--schedule",
                   "algorithm1," + own + "chebyshev.json," + own + "gmres.json",
                   "--seconds-per-case", "0.01", "--csv", raw});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  std::set<std::string> schedules;
  const ValidationData data = parse_validation_csv(read_file(raw), raw);
  for (const ValidationRow& row : data.rows) {
    EXPECT_GT(row.measured_seconds, 0);
    schedules.insert(row.schedule);
  }
  EXPECT_EQ(schedules, (std::set<std::string>{"algorithm1", "chebyshev", "gmres"}));

  const ProgramRun unknown = run_program({"validate", "--from", raw, "--profile", profile});
  EXPECT_EQ(unknown.exit_status, 1);
  EXPECT_NE(
      unknown.errors.find("'chebyshev' was not given; name it as a solver, or give it from a file"),
      std::string::npos)
      << unknown.errors;
  const ProgramRun twice = run_program(
      {"validate", matrix, "--profile", profile, "--schedule", own + "cg.json," + own + "cg.json"});
  EXPECT_EQ(twice.exit_status, 2) << twice.errors;
}

TEST(ValidateCommand, MeasuresTheLayoutsThatAreAskedForByName) {
  const TemporaryFolder folder;
  const std::string profile = cpu_profile(folder);
  const std::string matrix = (folder / "a.mtx").string();
  write_matrix_market(matrix, laplacian(5, 12, 12));
  const std::string raw = (folder / "raw.csv").string();
  const std::vector<std::string> common{
      "validate",    matrix, "--profile",          profile, "--schedule", "spmv",
      "--precision", "f64",  "--seconds-per-case", "0.001", "--csv",      raw,
      "--force"};
  const auto layouts = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = common;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    std::vector<std::string> names;
    for (const ValidationRow& row : parse_validation_csv(read_file(raw), raw).rows) {
      names.push_back(to_string(row.layout));
    }
    return names;
  };
  using Names = std::vector<std::string>;

  EXPECT_EQ(layouts({"--layout", "dia"}), (Names{"dia"}));
  EXPECT_EQ(layouts({"--layout", "csr,dia,bcsr2-sorted"}), (Names{"csr", "dia", "bcsr2-sorted"}));
  EXPECT_EQ(layouts({"--layout", "csr,ell,hyb-paper,coo,sell8,sell32-sorted"}),
            (Names{"csr", "ell", "hyb-paper", "coo", "sell8", "sell32-sorted"}));
  EXPECT_EQ(layouts({"--block", "1,4"}), (Names{"csr", "bcsr4"}));
  EXPECT_EQ(layouts({}), (Names{"csr", "bcsr2", "bcsr3", "bcsr4", "bcsr6", "bcsr8", "dia", "sell32",
                                "sell32-sorted512"}));

  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"--layout", "dai"},
        std::vector<std::string>{"--layout", "dia", "--block", "1"}}) {
    std::vector<std::string> arguments = common;
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run_program(arguments).exit_status, 2);
  }
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
                        "--seconds-per-case", "0.01", "--csv", raw, "--force"});
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
  EXPECT_EQ(cases(), (Cases{{"none", 1}, {"random", 1}, {"rcm", 1}, {"hubs", 1}}));

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
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(unknown.errors,
            "sparsecast validate: --model guess: expected hybrid, traffic, cache or paper\n");
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
                   "algorithm1", "--seconds-per-case", "0.001", "--csv", monday});
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
  EXPECT_NE(result.output.find("9 cases are the fastest of 2 visits; the second fastest took 25.0 "
                               "% longer in the median, 25.0 % at\nmost in nine of ten."),
            std::string::npos)
      << result.output;
  const ValidationData fastest = parse_validation_csv(read_file(both), both);
  ASSERT_EQ(fastest.rows.size(), run.rows.size());
  EXPECT_EQ(fastest.rows[0].second_seconds, run.rows[0].measured_seconds);

  const ProgramRun of_a_gpu =
      run_program({"validate", "--from", friday, "--profile", "nvidia-h200"});
  EXPECT_EQ(of_a_gpu.exit_status, 1);
  EXPECT_NE(of_a_gpu.errors.find(friday + ": profile nvidia-h200 of NVIDIA H200, by model hybrid, "
                                          "forecasts no case of what was measured on "),
            std::string::npos)
      << of_a_gpu.errors;

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

TEST(ValidateCommand, MeasuresFamiliesUnrelatedToCalibration) {
  const TemporaryFolder folder;
  const std::string profile = cpu_profile(folder);
  const std::string raw = (folder / "raw.csv").string();
  const ProgramRun result =
      run_program({"validate", "--generated", "--families", "unrelated", "--largest", "2500",
                   "--profile", profile, "--block", "1", "--precision", "f64", "--schedule",
                   "fused", "--seconds-per-case", "0.001", "--csv", raw});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  std::set<std::string> names;
  for (const ValidationRow& row : parse_validation_csv(read_file(raw), raw).rows) {
    names.insert(row.matrix);
  }
  std::set<std::string> expected;
  for (const ValidationSource& source : unrelated_matrices(2500)) expected.insert(source.name);
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(names, expected);

  const ProgramRun unknown =
      run_program({"validate", "--generated", "--families", "distant", "--profile", profile});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(unknown.errors,
            "sparsecast validate: --families distant: expected related or unrelated\n");
}

TEST(ValidateCommand, RefusesAGpuProfileOnACpu) {
  const TemporaryFolder folder;
  write_matrix_market(folder / "a.mtx", laplacian(3, 5));

  const ProgramRun result =
      run_program({"validate", (folder / "a.mtx").string(), "--profile", "gtx280"});

  EXPECT_EQ(result.exit_status, 2);
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

  const GpuList gpus = gpus_of_tested_program();
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
    const ProgramRun result = run_program(
        {"validate", "--generated", "--profile", "amd-epyc-zen4-2cores", "--devices", devices});
    EXPECT_EQ(result.exit_status, 2);
    return result.errors;
  };
  EXPECT_EQ(refusal("9000"), "sparsecast validate: --devices 9000: expected 1 to 8192 devices\n");
  EXPECT_EQ(refusal("1,1"),
            "sparsecast validate: --devices 1,1: 1 is given twice; give each number once\n");
}

TEST(ValidateCommand, LeavesRawDataAloneWhereNothingIsMeasured) {
  const TemporaryFolder folder;
  for (const char* name : {"a.mtx", "b.mtx"}) {
    write_file(folder / name, "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n");
  }
  const std::string raw = (folder / "raw.csv").string();
  for (const bool there : {true, false}) {
    if (there) write_file(raw, "of an earlier run");
    const ProgramRun result = run_program({"validate", folder.path().string(), "--profile",
                                           "amd-epyc-zen4-2cores", "--csv", raw, "--force"});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE(result.errors.find("nothing was measured"), std::string::npos) << result.errors;
    EXPECT_EQ(std::filesystem::exists(raw), there);
    EXPECT_TRUE(!there || read_file(raw) == "of an earlier run");
    std::filesystem::remove(raw);
  }
}

TEST(ValidateCommand, ResumesNoMatrixWhoseNameSeveralHaveNow) {
  const TemporaryFolder folder;
  for (const char* name : {"one", "two"}) {
    std::filesystem::create_directory(folder / name);
    write_matrix_market(folder / name / "x.mtx", laplacian(5, 5, 5).view(), {.symmetric = true});
  }
  ValidationData data = made_up_data();
  data.rows[0].matrix = "x";
  const std::string raw = (folder / "raw.csv").string();
  write_file(raw, validation_to_csv(data));
  const ProgramRun result =
      run_program({"validate", (folder / "one/x.mtx").string(), (folder / "two/x.mtx").string(),
                   "--profile", "amd-epyc-zen4-2cores", "--csv", raw, "--resume"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("holds matrix 'x', and there are several of that name now"),
            std::string::npos)
      << result.errors;
}

TEST(ValidateCommand, RefusesMoreGroupsOfThreadsThanThereAre) {
  const ProgramRun result = run_program(
      {"validate", "--generated", "--profile", "amd-epyc-zen4-2cores", "--devices", "500"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("at most 64 groups"), std::string::npos) << result.errors;
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

/// A small matrix, and how it is validated: 36 cases, or those of other options.
struct SmallRun {
  TemporaryFolder folder;
  std::string raw = (folder / "raw.csv").string();
  std::vector<std::string> arguments;

  explicit SmallRun(const std::vector<std::string>& options) {
    const std::string matrix = (folder / "a.mtx").string();
    write_matrix_market(matrix, laplacian(5, 12, 12));
    arguments = {"validate", matrix, "--profile", cpu_profile(folder), "--csv", raw};
    arguments.insert(arguments.end(), options.begin(), options.end());
  }
  ValidationData data() const { return parse_validation_csv(read_file(raw), raw); }
  void write(const ValidationData& data) const { write_file(raw, validation_to_csv(data)); }
  ProgramRun with(const std::string& option) const {
    std::vector<std::string> all = arguments;
    all.push_back(option);
    return run_program(all);
  }
  /// Starts it, and sends it a signal when it has written something.
  ProgramRun interrupted(int signal_number) const {
    return run(tested_program(), arguments, {}, [&](pid_t program) {
      constexpr int most_waits = 6000;
      for (int i = 0; i < most_waits && !std::filesystem::exists(raw); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      kill(program, signal_number);
    });
  }
};

TEST(ValidateCommand, KeepsRawDataWhenItIsKilled) {
  const SmallRun small({"--seconds-per-case", "0.2"});

  EXPECT_EQ(small.interrupted(SIGKILL).exit_status, 128 + SIGKILL);

  const ValidationData data = small.data();
  EXPECT_FALSE(data.rows.empty());
  EXPECT_EQ(data.about.at("unfinished"), "yes");
}

TEST(ValidateCommand, KeepsRawDataAndSaysHowToGoOnWhenItIsInterrupted) {
  const SmallRun small({"--seconds-per-case", "0.2"});

  const ProgramRun result = small.interrupted(SIGHUP);

  EXPECT_EQ(result.exit_status, 128 + SIGHUP) << result.errors;
  const ValidationData data = small.data();
  EXPECT_FALSE(data.rows.empty());
  const std::string measured =
      data.rows.size() == 1 ? "1 case measured so far is in "
                            : std::to_string(data.rows.size()) + " cases measured so far are in ";
  EXPECT_EQ(result.errors, "sparsecast validate: interrupted: the " + measured + small.raw +
                               "; go on with --resume\n");
  EXPECT_NE(result.output.find("none was in a fit"), std::string::npos);
}

const std::vector<std::string> two_products{
    "--schedule", "spmv", "--block", "1,2", "--precision", "f64", "--seconds-per-case", "0.02"};

TEST(ValidateCommand, ResumesWithTheCasesThatAreNotMeasuredYet) {
  const SmallRun small(two_products);
  ASSERT_EQ(run_program(small.arguments).exit_status, 0);
  ValidationData before = small.data();
  ASSERT_EQ(before.rows.size(), 2u);
  EXPECT_FALSE(before.about.contains("unfinished"));
  before.rows.pop_back();
  ValidationRow& known = before.rows.front();
  known.measured_seconds = known.second_seconds = 1e-9;
  known.visits = 2;
  before.about["unfinished"] = "yes";
  small.write(before);

  const ProgramRun result = small.with("--resume");

  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const ValidationData after = small.data();
  ASSERT_EQ(after.rows.size(), 2u);
  EXPECT_EQ(after.rows[0].measured_seconds, 1e-9);
  EXPECT_EQ(after.rows[0].visits, 2);
  EXPECT_GT(after.rows[1].measured_seconds, 1e-9);
  EXPECT_FALSE(after.about.contains("unfinished"));
  EXPECT_EQ(after.about.at("runs"), "2");
}

TEST(ValidateCommand, CountsTheVisitsOfTheRunThatItResumes) {
  const SmallRun small(two_products);
  ASSERT_EQ(run_program(small.arguments).exit_status, 0);
  ValidationData before = small.data();
  for (ValidationRow& row : before.rows) {
    row.measured_seconds = 1e-9;
    row.measured_error = 1;  // so that any visit leaves its trace, certain or not
    row.second_seconds = 0;
    row.visits = 1;
  }
  before.rows.back().visits = 4;
  before.rows.back().second_seconds = 2e-9;
  small.write(before);

  ASSERT_EQ(small.with("--resume").exit_status, 0);

  // The first case lacks its second visit; the other one has had its four, though they disagree.
  const ValidationData after = small.data();
  const ValidationRow& visited = after.rows.front();
  EXPECT_TRUE(visited.visits > 1 || visited.measured_seconds > 1e-9);
  EXPECT_LE(visited.visits, 4);
  EXPECT_EQ(after.rows.back().measured_seconds, 1e-9);
  EXPECT_EQ(after.rows.back().visits, 4);
  EXPECT_EQ(after.rows.back().second_seconds, 2e-9);
}

TEST(ValidateCommand, ResumesNoRawDataOfAnotherDeviceOrProfile) {
  const SmallRun small(two_products);
  ASSERT_EQ(run_program(small.arguments).exit_status, 0);
  const ValidationData data = small.data();
  for (const std::string key : {"run on", "profile device"}) {
    ValidationData other = data;
    other.about[key] = "another one";
    small.write(other);
    const ProgramRun result = small.with("--resume");
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE(result.errors.find(small.raw + ": " + key + " 'another one'; this is '"),
              std::string::npos)
        << result.errors;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  }
}

TEST(ValidateCommand, AsksBeforeItOverwritesRawData) {
  const TemporaryFolder folder;
  const std::string raw = written(folder);
  const std::string kept = (folder / "kept.csv").string();
  write_file(kept, "kept");
  write_matrix_market(folder / "a.mtx", laplacian(3, 5));
  const ProgramRun measured = run_program(
      {"validate", (folder / "a.mtx").string(), "--profile", cpu_profile(folder), "--csv", kept});
  EXPECT_EQ(measured.exit_status, 2);
  EXPECT_EQ(measured.errors, "sparsecast validate: --csv " + kept +
                                 ": is there already; go on with --resume, choose another name, or "
                                 "overwrite it with --force\n");
  const ProgramRun read = run_program({"validate", "--from", raw, "--csv", kept});
  EXPECT_EQ(read.exit_status, 2);
  EXPECT_EQ(read_file(kept), "kept");

  EXPECT_EQ(run_program({"validate", "--from", raw, "--csv", kept, "--force"}).exit_status, 0);
  EXPECT_EQ(parse_validation_csv(read_file(kept), kept).rows, made_up_data().rows);
}

TEST(ValidateCommand, WritesNoRawDataOverWhatItReads) {
  const TemporaryFolder folder;
  const std::string raw = written(folder);
  const ProgramRun result = run_program({"validate", "--from", raw, "--csv", raw, "--force"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("is --from too"), std::string::npos) << result.errors;
  EXPECT_EQ(parse_validation_csv(read_file(raw), raw).rows, made_up_data().rows);
}

TEST(ValidateCommand, ReadsAndWritesCompressedRawDataAsIfItWerePlain) {
  const TemporaryFolder folder;
  const std::string raw = written(folder);
  const std::string packed = (folder / "packed.csv.gz").string();
  const ProgramRun plain = run_program({"validate", "--from", raw, "--csv", packed});
  ASSERT_EQ(plain.exit_status, 0) << plain.errors;
  EXPECT_TRUE(is_gzip(read_file(packed)));
  EXPECT_EQ(read_text(packed), read_file(raw));

  const ProgramRun result = run_program({"validate", "--from", packed});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output, plain.output);
}

TEST(ValidateCommand, GoesOnWithCompressedRawData) {
  const SmallRun small(two_products);
  ASSERT_EQ(run_program(small.arguments).exit_status, 0);
  ValidationData data = small.data();
  const std::size_t cases = data.rows.size();
  data.rows.pop_back();
  small.write(data);
  write_file(small.raw, gzip_member(read_file(small.raw)));
  ASSERT_EQ(small.with("--resume").exit_status, 0);
  EXPECT_EQ(small.data().rows.size(), cases);
}

TEST(ValidateCommand, SaysWhereCompressedRawDataIsDamaged) {
  const TemporaryFolder folder;
  const std::string packed = (folder / "packed.csv.gz").string();
  const std::string whole = gzip_member(read_file(written(folder)));
  for (const std::string& content :
       {whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 8) + "12345678"}) {
    write_file(packed, content);
    const ProgramRun result = run_program({"validate", "--from", packed});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_TRUE(result.errors.starts_with("sparsecast validate: " + packed + ':')) << result.errors;
    EXPECT_NE(result.errors.find(": the gzip data is "), std::string::npos) << result.errors;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  }
}

TEST(ValidateCommand, PrintsRawDataToStandardOutputAndItsReportToStandardError) {
  const TemporaryFolder folder;
  const ProgramRun result = run_program({"validate", "--from", written(folder), "--csv", "-"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(parse_validation_csv(result.output, "output").rows, made_up_data().rows);
  EXPECT_NE(result.errors.find("Table 6"), std::string::npos);
}

TEST(ValidateCommand, RefusesRawDataThatIsNamedTwice) {
  const TemporaryFolder folder;
  const std::string raw = written(folder);
  const std::string link = (folder / "link.csv").string();
  std::filesystem::create_symlink(raw, link);
  for (const std::string& again : {raw, link}) {
    const ProgramRun result =
        run_program({"validate", "--from", raw, "--from", again, "--profile", "gtx280"});
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.errors, "sparsecast validate: --from " + again + ": is " + raw +
                                 ", which is named already\n");
  }
}

TEST(ValidateCommand, RefusesOptionsThatMeanNothingTogether) {
  const TemporaryFolder folder;
  const std::string raw = written(folder);
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--from", raw, "--block", "2"},
        std::vector<std::string>{"--from", raw, "--layout", "dia"},
        std::vector<std::string>{"--from", raw, "--curve", "maximum"},
        std::vector<std::string>{"a.mtx", "--largest", "5"},
        std::vector<std::string>{"a.mtx", "--resume"},
        std::vector<std::string>{"a.mtx", "--resume", "--csv", "-"},
        std::vector<std::string>{"a.mtx", "--resume", "--force", "--csv", "x.csv"},
        std::vector<std::string>{"--generated", "--renumber", "rcm"}}) {
    std::vector<std::string> arguments{"validate"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 2) << result.errors;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  }
}

/// Validates what these name, a product each; the names of the matrices that were measured.
struct MatrixNames {
  std::set<std::string> names;
  std::string errors;
};

MatrixNames names_of(const TemporaryFolder& folder, const std::vector<std::string>& matrices) {
  const std::string raw = (folder / "raw.csv").string();
  std::vector<std::string> arguments{"validate", "--profile", cpu_profile(folder), "--csv", raw};
  for (const char* option : {"--schedule", "spmv", "--block", "1", "--precision", "f64",
                             "--seconds-per-case", "0.001"}) {
    arguments.emplace_back(option);
  }
  arguments.insert(arguments.begin() + 1, matrices.begin(), matrices.end());
  const ProgramRun result = run_program(arguments);
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  MatrixNames found{{}, result.errors};
  for (const ValidationRow& row : parse_validation_csv(read_file(raw), raw).rows) {
    found.names.insert(row.matrix);
  }
  return found;
}

TEST(ValidateCommand, SkipsALinkToNothingInAFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path matrices = folder / "matrices";
  std::filesystem::create_directory(matrices);
  write_matrix_market(matrices / "a.mtx", laplacian(3, 5));
  std::filesystem::create_symlink("nowhere", matrices / "gone.mtx");

  const MatrixNames found = names_of(folder, {matrices.string()});

  EXPECT_EQ(found.names, (std::set<std::string>{"a"}));
  EXPECT_EQ(found.errors, "sparsecast: warning: skipped " + (matrices / "gone.mtx").string() +
                              ": a link to nothing\n");
}

TEST(ValidateCommand, SaysWhichSubfoldersAreNotSearched) {
  const TemporaryFolder folder;
  const std::filesystem::path matrices = folder / "matrices";
  std::filesystem::create_directories(matrices / "x");
  std::filesystem::create_directories(matrices / "y");
  write_matrix_market(matrices / "a.mtx", laplacian(3, 5));
  write_matrix_market(matrices / "x/b.mtx", laplacian(3, 6));

  const MatrixNames found = names_of(folder, {matrices.string()});

  EXPECT_EQ(found.names, (std::set<std::string>{"a"}));
  EXPECT_EQ(found.errors, "sparsecast: warning: " + matrices.string() +
                              ": 2 subfolders are not searched (x, y); name what is wanted of "
                              "them\n");
}

TEST(ValidateCommand, TellsMatricesOfOneNameApartByTheirFoldersOrEndings) {
  const TemporaryFolder folder;
  for (const char* name : {"one/in", "two/in"}) {
    std::filesystem::create_directories(folder / name);
    write_matrix_market(folder / name / "x.mtx", laplacian(3, 5));
  }
  write_matrix_market(folder / "y.mtx", laplacian(3, 5));
  write_matrix_market(folder / "y.mtx.gz", laplacian(3, 5));
  write_matrix_market(folder / "z.mtx", laplacian(3, 5));

  const MatrixNames found = names_of(
      folder, {(folder / "one/in").string(), (folder / "two/in").string(), folder.path().string()});

  EXPECT_EQ(found.names, (std::set<std::string>{"one/in/x", "two/in/x", "y.mtx", "y.mtx.gz", "z"}));
}

TEST(ValidateCommand, ReadsBackAMatrixWhoseNameLooksLikeAComment) {
  const TemporaryFolder folder;
  write_matrix_market(folder / "#x, \"y\".mtx", laplacian(3, 5));

  EXPECT_EQ(names_of(folder, {(folder / "#x, \"y\".mtx").string()}).names,
            (std::set<std::string>{"#x, \"y\""}));
}

TEST(ValidateCommand, RefusesAMatrixThatIsNamedTwice) {
  const TemporaryFolder folder;
  const std::string matrix = (folder / "a.mtx").string();
  write_matrix_market(matrix, laplacian(3, 5));
  const ProgramRun result =
      run_program({"validate", matrix, matrix, "--profile", cpu_profile(folder)});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors, "sparsecast validate: MATRIX " + matrix + ": is named already\n");
}

/// What the first chart of a page draws.
std::vector<std::pair<double, double>> points_of_page(const std::string& html) {
  const std::string begin = "<script type=\"application/json\">";
  const std::size_t from = html.find(begin) + begin.size();
  const auto chart = nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
  std::vector<std::pair<double, double>> drawn;
  for (const auto& series : chart["series"]) {
    for (const auto& point : series["points"]) drawn.emplace_back(point[0], point[1]);
  }
  return drawn;
}

double four_digits(double number) {
  return std::stod(short_number(number, 4));
}

TEST(ValidateCommand, WritesAPageThatDrawsItsCases) {
  const TemporaryFolder folder;
  const std::string page = (folder / "page.html").string();

  const ProgramRun result = run_program({"validate", "--from", written(folder), "--html", page});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const std::string html = read_file(page);
  std::vector<std::pair<double, double>> cases;
  for (const ValidationRow& row : made_up_data().rows) {
    cases.emplace_back(four_digits(row.measured_seconds), four_digits(row.predicted_seconds));
  }
  EXPECT_EQ(points_of_page(html), cases);
  // Of the baseline: tables say errors as sentences do.
  EXPECT_NE(html.find("50.0 %"), std::string::npos);
  EXPECT_EQ(html.find("0.500"), std::string::npos);
}

TEST(ValidateCommand, WritesNoMoreOfANumberThanAChartCanShow) {
  const TemporaryFolder folder;
  const std::string page = (folder / "page.html").string();

  const ProgramRun result = run_program({"validate", "--from", shipped_cases, "--html", page});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto drawn = points_of_page(read_file(page));
  EXPECT_GT(drawn.size(), 100u);
  for (const auto& [x, y] : drawn) {
    EXPECT_EQ(x, four_digits(x));
    EXPECT_EQ(y, four_digits(y));
  }
}

TEST(ValidateCommand, RefusesAPageInPlaceOfItsRawData) {
  const TemporaryFolder folder;
  const std::string page = (folder / "page.csv").string();

  const ProgramRun result =
      run_program({"validate", "--from", shipped_cases, "--csv", page, "--html", page});

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "sparsecast validate: --html " + page + ": is --csv too; choose another name\n");
}

}  // namespace
}  // namespace sparsecast::testing
