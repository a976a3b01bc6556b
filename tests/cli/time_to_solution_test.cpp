#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast::testing {
namespace {

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

/// --rtol of predict, advise and inspect, and solve --count: a grid's Laplacian, grid.mtx, and a
/// matrix that is not symmetric, general.mtx.
class TimeToSolutionOption : public ::testing::Test {
 protected:
  TimeToSolutionOption() {
    write_matrix_market(file("grid.mtx"), laplacian(5, 20, 20).view(), {.symmetric = true});
    write_matrix_market(file("general.mtx"), dominant_matrix(200).view(), {});
  }
  std::string file(const char* name) const { return (folder_.path() / name).string(); }

  static Json parsed(const ProgramRun& result) {
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return Json::parse(result.output);
  }
  static Json predictions(const ProgramRun& result) { return parsed(result)["predictions"]; }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  static void expect_refusal(const ProgramRun& result, int status, const std::string& why) {
    EXPECT_EQ(result.exit_status, status);
    EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(TimeToSolutionOption, IsOfTheIterationsThatASolveTakes) {
  const Json forecast =
      predictions(run_program({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--block",
                               "1", "--solver", "cg,bicgstab", "--rtol", "1e-6", "--json"}));
  std::set<std::string> seen;
  for (const Json& each : forecast) {
    const std::string solver = each["schedule"];
    seen.insert(solver);
    const Json solved = parsed(
        run_program({"solve", file("grid.mtx"), "--solver", solver, "--rtol", "1e-6", "--json"}));
    EXPECT_EQ(each["count"]["iterations"], solved["iterations"]) << solver;
    EXPECT_GE(each["iterations"], each["count"]["fewest"]) << solver;
    EXPECT_LE(each["iterations"].get<double>(), each["count"]["most"].get<double>() + 1) << solver;
    EXPECT_GT(each["total_seconds"].get<double>(),
              each["iterations"].get<double>() * each["seconds_per_iteration"].get<double>());
  }
  EXPECT_EQ(seen, (std::set<std::string>{"bicgstab", "cg"}));
}

TEST_F(TimeToSolutionOption, RanksSolversByIt) {
  const ProgramRun result =
      run_program({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--block", "1",
                   "--solver", "cg,richardson,steepest-descent", "--rtol", "1e-6"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("time to solution"), std::string::npos) << result.output;
  // A persistent kernel, faster an iteration, is not ready so soon.
  EXPECT_NE(result.output.find("\nBest: csr, cg by graph"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("Iterations to 1e-06, counted for b = ones"), std::string::npos)
      << result.output;
}

TEST_F(TimeToSolutionOption, ComparesPreconditioners) {
  const Json forecast = predictions(
      run_program({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--block", "1",
                   "--solver", "gmres", "--precondition", "all", "--rtol", "1e-6", "--json"}));
  std::set<std::string> seen;
  for (const Json& each : forecast) seen.insert(each["schedule"].get<std::string>());
  EXPECT_EQ(seen, (std::set<std::string>{"gmres", "gmres-chebyshev3", "gmres-jacobi"}));
}

TEST_F(TimeToSolutionOption, IsAdvisedOverAllThatDiffers) {
  const Json advice =
      parsed(run_program({"advise", file("general.mtx"), "--profile", "nvidia-h200", "--profile",
                          "amd-epyc-zen4-2cores", "--rtol", "1e-4", "--json"}));
  ASSERT_FALSE(advice["choices"].empty());
  const Json& recommended = advice["recommended"];
  EXPECT_TRUE(recommended["count"].is_object());
  EXPECT_EQ(recommended["count"]["outcome"], "converged");
  EXPECT_EQ(recommended["count"]["precision"], recommended["precision"]);
  const std::vector<std::string> fit = shipped_names_for(MatrixKind::square);
  EXPECT_EQ(std::count(fit.begin(), fit.end(), recommended["schedule"].get<std::string>()), 1)
      << recommended;
}

TEST_F(TimeToSolutionOption, TakesCountsFromAFeaturesFile) {
  const std::string features = file("grid.features.json");
  const ProgramRun written =
      run_program({"inspect", file("grid.mtx"), "--features", features, "--for", "nvidia-h200",
                   "--for-devices", "2", "--rtol", "1e-4"});
  ASSERT_EQ(written.exit_status, 0) << written.errors;
  const auto forecast = [&](const std::string& of, const Arguments& more) {
    Arguments arguments{"predict", of, "--profile", "nvidia-h200", "--rtol", "1e-4", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  for (const Arguments& more :
       {Arguments{}, Arguments{"--solver", "all"}, Arguments{"--precision", "f32"}}) {
    const ProgramRun there = forecast(file("grid.mtx"), more);
    const ProgramRun elsewhere = forecast(features, more);
    EXPECT_EQ(elsewhere.exit_status, 0) << elsewhere.errors;
    EXPECT_EQ(predictions(elsewhere), predictions(there));
  }
  expect_refusal(
      run_program({"predict", features, "--profile", "nvidia-h200", "--rtol", "1e-7"}), 1,
      "has no iterations of fused to 1e-07 in f64 for --rhs ones with these settings; count them "
      "where the matrix is: sparsecast inspect MATRIX --features FILE --rtol 1e-07");
}

TEST_F(TimeToSolutionOption, IsCountedAlone) {
  const ProgramRun counted =
      run_program({"solve", file("general.mtx"), "--count", "--solver", "all", "--json"});
  const Json counts = parsed(counted)["counts"];
  std::set<std::string> solvers;
  for (const Json& each : counts) {
    solvers.insert(each["solver"].get<std::string>());
    if (each["outcome"] != "converged") continue;
    EXPECT_LE(each["fewest"].get<double>(), each["amount"].get<double>());
    EXPECT_GE(each["most"].get<double>(), each["amount"].get<double>());
  }
  const std::vector<std::string> fit = shipped_names_for(MatrixKind::square);
  EXPECT_EQ(solvers, std::set<std::string>(fit.begin(), fit.end()));

  const ProgramRun table = run_program({"solve", file("grid.mtx"), "--count"});
  EXPECT_EQ(table.exit_status, 0) << table.errors;
  EXPECT_NE(table.output.find("fused"), std::string::npos) << table.output;
}

TEST_F(TimeToSolutionOption, IsRefusedWhereItMakesNoSense) {
  const std::string grid = file("grid.mtx");
  const Arguments predict{"predict", grid, "--profile", "nvidia-h200"};
  const auto with = [&](const Arguments& more) {
    Arguments arguments = predict;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  expect_refusal(with({"--rtol", "0"}), 2, "--rtol: expected more than 0 and less than 1");
  expect_refusal(with({"--rtol", "2"}), 2, "--rtol: expected more than 0 and less than 1");
  expect_refusal(with({"--rtol", "1e-6", "-k", "10"}), 2, "expected one of them");
  expect_refusal(with({"--rhs", "random"}), 2, "--rhs is for --rtol, which is missing");
  expect_refusal(with({"--max-iterations", "7"}), 2, "is for --rtol, which is missing");
  expect_refusal(with({"--rtol", "1e-6", "--max-iterations", "2"}), 1,
                 "no solver converged (fused in f64: iteration limit); allow more iterations");
  expect_refusal(with({"--rtol", "1e-6", "--count-on", "cuda:99"}), 1, "cuda:99");
  expect_refusal(with({"--rtol", "1e-6", "--rhs", grid}), 1, "expected one column of 400 rows");
  expect_refusal(with({"--precondition", "ilu", "--solver", "cg"}), 2,
                 "--precondition 'ilu'; expected none, jacobi, chebyshevN");
  expect_refusal(run_program({"predict", grid, "--profile", "gtx280", "--rtol", "1e-6"}), 2,
                 "--rtol: of the traffic model; profile gtx280 is priced by model paper");
  expect_refusal(run_program({"predict", "--unknowns", "1000", "--elements", "5000", "--block", "1",
                              "--profile", "nvidia-h200", "--rtol", "1e-6"}),
                 2, "--rtol: --unknowns has no entries to count with");
  expect_refusal(run_program({"advise", file("general.mtx"), "--profile", "nvidia-h200", "--rtol",
                              "1e-6", "--solver", "cg"}),
                 1, "is not symmetric: cg cannot solve with it");
  expect_refusal(run_program({"inspect", grid, "--solver", "cg"}), 2,
                 "--solver is for --rtol, which is missing");
  expect_refusal(
      with({"--rtol", "1e-6", "--solver", "gmres", "--precondition", "chebyshev3,chebyshev03"}), 2,
      "chebyshev3 is there twice");
  expect_refusal(run_program({"solve", grid, "--count", "--rtol", "2"}), 2,
                 "--rtol: expected more than 0 and less than 1");
  expect_refusal(run_program({"inspect", grid, "--rtol", "1e-6"}), 2,
                 "--rtol is for --features, which is missing");
  expect_refusal(run_program({"solve", grid, "--count", "--out", file("x.mtx")}), 2,
                 "--out does not go with --count");
  expect_refusal(run_program({"solve", grid, "--solver", "cg,gmres"}), 2, "--solver cg,gmres");
}

TEST_F(TimeToSolutionOption, LeavesOutWhatCannotRunOrFailsByRounding) {
  // An empty diagonal: Jacobi's and bounds of it make no sense; the others are counted.
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n20 20 19\n";
  for (int row = 2; row <= 20; ++row) {
    text += std::to_string(row) + ' ' + std::to_string(row - 1) + " 1\n";
  }
  write_file(file("path.mtx"), text);
  const Json counts =
      parsed(run_program({"solve", file("path.mtx"), "--count", "--solver", "cg,chebyshev,gmres",
                          "--rtol", "1e-6", "--json"}))["counts"];
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[0]["outcome"], "nonpositive diagonal");
  EXPECT_EQ(counts[1]["outcome"], "nonpositive diagonal");
  EXPECT_EQ(counts[2]["outcome"], "converged");
}

TEST_F(TimeToSolutionOption, KeepsWhatIsOnlyCompared) {
  const Json forecast =
      predictions(run_program({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--block",
                               "1", "--schedule", "all", "--rtol", "1e-4", "--json"}));
  std::set<std::string> names;
  for (const Json& each : forecast) names.insert(each["schedule"].get<std::string>());
  EXPECT_TRUE(names.contains("vendor") && names.contains("algorithm1")) << forecast;
  const ProgramRun table =
      run_program({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--block", "1",
                   "--schedule", "all", "--rtol", "1e-4", "--wide"});
  EXPECT_EQ(table.exit_status, 0) << table.errors;
  EXPECT_EQ(table.output.find(" -1"), std::string::npos) << table.output;  // no time is negative
}

TEST_F(TimeToSolutionOption, ExplainsByWhatAWholeSolveTakes) {
  const ProgramRun result =
      run_program({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--block", "1",
                   "--solver", "cg,richardson", "--rtol", "1e-6", "--explain"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output.find("schedule richardson, launch graph takes"), std::string::npos)
      << result.output;
}

TEST_F(TimeToSolutionOption, OverwritesNoInput) {
  const std::string rhs = file("b.mtx");
  std::string text = "%%MatrixMarket matrix array real general\n400 1\n";
  for (int row = 0; row < 400; ++row) text += "1\n";
  write_file(rhs, text);
  expect_refusal(run_program({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--rtol",
                              "1e-4", "--rhs", rhs, "--csv", rhs}),
                 2, rhs);
  EXPECT_EQ(read_file(rhs), text);
}

TEST_F(TimeToSolutionOption, FitsInATerminalUnlessAskedForMore) {
  const Arguments predict{"predict",     file("grid.mtx"), "--profile", "nvidia-h200", "--profile",
                          "nvidia-h100", "--solver",       "all",       "--rtol",      "1e-4"};
  const auto with = [&](const Arguments& more) {
    Arguments arguments = predict;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return result.output;
  };
  const auto widest = [](const std::string& text) {
    std::istringstream in(text);
    std::size_t most = 0;
    bool first = true;
    for (std::string line; std::getline(in, line);) {
      // Tables only: the rest is sentences.
      if (!first && line.find("  ") != std::string::npos) most = std::max(most, line.size());
      first = false;
    }
    return most;
  };
  const std::string plain = with({});
  EXPECT_LE(widest(plain), 100u) << plain;
  EXPECT_NE(plain.find("(--wide: "), std::string::npos) << plain;
  EXPECT_EQ(plain.find("raw GFlop/s  "), std::string::npos) << plain;
  const std::string wide = with({"--wide"});
  EXPECT_GT(widest(wide), 100u);
  EXPECT_NE(wide.find("raw GFlop/s"), std::string::npos) << wide;
  EXPECT_NE(with({"--markdown"}).find("| raw GFlop/s |"), std::string::npos);

  const std::string rows = file("rows.csv");
  const Json objects = Json::parse(with({"--json", "--csv", rows}))["predictions"];
  const std::vector<std::string> lines = lines_of(read_file(rows));
  ASSERT_EQ(lines.size(), objects.size() + 1);
  EXPECT_TRUE(lines.front().starts_with("matrix,profile,estimated,layout")) << lines.front();
  EXPECT_NE(lines.front().find(",count.outcome,"), std::string::npos) << lines.front();
  EXPECT_NE(lines[1].find(",nvidia-h200,"), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find(objects[0]["seconds_per_iteration"].dump()), std::string::npos)
      << lines[1];
  expect_refusal(
      run_program({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--wide", "--json"}), 2,
      "--wide: --json prints no tables");
}

/// validate --rtol, which counts and solves here.
class ValidatedSolution : public TimeToSolutionOption {
 protected:
  ProgramRun validate(const Arguments& more, const std::string& profile = "amd-epyc-zen4-2cores") {
    Arguments arguments{
        "validate", file("grid.mtx"), file("general.mtx"), "--profile", profile,
        "--rtol",   "1e-6",           "--precision",       "f64",       "--seconds-per-case",
        "0.01"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
};

TEST_F(ValidatedSolution, SetsForecastBesideMeasuredAndIsReadAgain) {
  const Arguments solvers{"--solver",    "cg,bicgstab,gmres", "--precondition",
                          "none,jacobi", "--restart",         "20"};
  Arguments first = solvers;
  first.insert(first.end(), {"--csv", file("raw.csv"), "--json"});
  const Json json = parsed(validate(first));

  // Conjugate gradients on the grid alone.
  EXPECT_EQ(json["rows"].size(), 2u + 4u + 4u);
  EXPECT_EQ(json["solutions"]["cases"], 10);
  EXPECT_EQ(json["solutions"]["stable"].get<int>() + json["solutions"]["unstable"].get<int>(), 10);
  EXPECT_EQ(json["about"].count("iterations counted on"), 1u);
  for (const Json& row : json["rows"]) {
    const Json& one = row["solution"];
    EXPECT_EQ(one["outcome"], "converged");
    EXPECT_EQ(one["count"]["iterations"], one["iterations"]) << row["schedule"];
    EXPECT_GT(one["predicted"]["total_seconds"].get<double>(), 0);
    EXPECT_GT(one["measured"]["total_seconds"].get<double>(), 0);
    EXPECT_GE(one["call_seconds"], one["measured"]["total_seconds"]);
  }

  Arguments again{"validate", "--from", file("raw.csv"), "--profile", "amd-epyc-zen4-2cores",
                  "--json"};
  again.insert(again.end(), solvers.begin(), solvers.end());
  const Json read = parsed(run_program(again));
  EXPECT_EQ(read["rows"], json["rows"]);
  EXPECT_EQ(read["solutions"], json["solutions"]);

  const ProgramRun text = run_program({"validate", "--from", file("raw.csv"), "--markdown"});
  EXPECT_EQ(text.exit_status, 0) << text.errors;
  EXPECT_NE(text.output.find("Times to solution: 10 cases"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("| all stable counts |"), std::string::npos) << text.output;

  // Of other settings the forecast would be another solver's.
  Arguments other{"validate",
                  "--from",
                  file("raw.csv"),
                  "--profile",
                  "amd-epyc-zen4-2cores",
                  "--solver",
                  "cg,bicgstab,gmres",
                  "--precondition",
                  "none,jacobi",
                  "--restart",
                  "10"};
  expect_refusal(run_program(other), 1, "with other settings; set m=20");
}

TEST_F(ValidatedSolution, IsOfOurConjugateGradientsUnlessTold) {
  const ProgramRun result = validate({"--json", "--csv", file("raw.csv")});
  const Json json = Json::parse(result.output);
  ASSERT_EQ(json["rows"].size(), 1u);
  EXPECT_EQ(json["rows"][0]["schedule"], "fused");
  EXPECT_NE(result.errors.find("is not symmetric: fused cannot solve with it"), std::string::npos)
      << result.errors;
  // Nothing is left to measure.
  const Json again = parsed(validate({"--json", "--csv", file("raw.csv"), "--resume"}));
  EXPECT_EQ(again["rows"][0]["measured_seconds"], json["rows"][0]["measured_seconds"]);
}

TEST_F(ValidatedSolution, CountsWhatDidNotConverge) {
  const ProgramRun result = validate({"--solver", "bicgstab", "--max-iterations", "2"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("; of 2 neither count"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("not counted"), std::string::npos) << result.output;
}

TEST_F(ValidatedSolution, RefusesWhatMakesNoSense) {
  expect_refusal(validate({"--rhs", "nothing.mtx"}), 1, "nothing.mtx");
  expect_refusal(validate({"--schedule", "spmv"}), 2, "--schedule spmv: expected");
  expect_refusal(validate({}, "gtx280"), 2, "a GPU; measure on one");
  expect_refusal(run_program({"validate", file("grid.mtx"), "--profile", "amd-epyc-zen4-2cores",
                              "--count-seconds", "5"}),
                 2, "--count-seconds is for --rtol, which is missing");
  expect_refusal(run_program({"validate", file("grid.mtx"), "--profile", "amd-epyc-zen4-2cores",
                              "--rtol", "2"}),
                 2, "--rtol: expected more than 0 and less than 1");
  expect_refusal(run_program({"validate", "--from", file("raw.csv"), "--rtol", "1e-6"}), 2,
                 "--rtol: of a measurement; --from runs nothing");
  expect_refusal(validate({"--renumber", "rcm", "--rhs", file("general.mtx")}), 2,
                 "--rhs FILE is in the order of its matrix; leave out --renumber");
}

}  // namespace
}  // namespace sparsecast::testing
