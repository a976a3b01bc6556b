#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/name_list.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast::testing {
namespace {

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

/// --solver: a grid's Laplacian, grid.mtx, and a matrix that is not symmetric, general.mtx.
class SolverOption : public ::testing::Test {
 protected:
  SolverOption() {
    write_matrix_market(file("grid.mtx"), laplacian(5, 20, 20).view(), {.symmetric = true});
    write_matrix_market(file("general.mtx"), dominant_matrix(200).view(), {});
  }
  std::string file(const char* name) const { return (folder_.path() / name).string(); }

  static ProgramRun run(Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  static void expect_refusal(const ProgramRun& result, int status, const std::string& why) {
    EXPECT_EQ(result.exit_status, status);
    EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
  }
  static std::set<std::string> schedules(const std::string& json) {
    std::set<std::string> names;
    const Json parsed = Json::parse(json);
    for (const Json& each : parsed.contains("rows") ? parsed["rows"] : parsed["predictions"]) {
      names.insert(each["schedule"].get<std::string>());
    }
    return names;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(SolverOption, SolvesByEverySolverThatComesWithTheProgram) {
  for (const std::string& name : shipped_names()) {
    const ProgramRun result =
        run({"solve", file("grid.mtx"), "--json", "--rtol", "1e-4"}, {"--solver", name});
    EXPECT_EQ(result.exit_status, 0) << name << ": " << result.errors;
    EXPECT_EQ(Json::parse(result.output)["outcome"], "converged") << name;
  }
}

TEST_F(SolverOption, SolvesWhereverTheProgramIs) {
  const std::filesystem::path elsewhere = file("sparsecast");
  std::filesystem::copy_file(tested_program(), elsewhere);
  const ProgramRun result =
      testing::run(elsewhere, {"solve", file("general.mtx"), "--solver", "bicgstab"}, {});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
}

TEST_F(SolverOption, TakesOurConjugateGradientsByTheirName) {
  const Arguments predict{"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--json"};
  const ProgramRun both = run(predict, {"--solver", "cg,fused"});
  EXPECT_EQ(both.exit_status, 0) << both.errors;
  EXPECT_EQ(schedules(both.output), (std::set<std::string>{"cg", "fused"}));
  EXPECT_EQ(run(predict, {"--solver", "fused"}).output, run(predict, {}).output);
  const ProgramRun solved =
      run({"solve", file("grid.mtx"), "--json", "--rtol", "1e-4"}, {"--solver", "fused"});
  EXPECT_EQ(Json::parse(solved.output)["solver"], "fused") << solved.errors;
}

TEST_F(SolverOption, CountsOurConjugateGradientsByTheirNameAndSaysWhatTheyAre) {
  const ProgramRun result =
      run({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--rtol", "1e-6"},
          {"--solver", "fused,cg"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("\nfused   f64 "), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("fused: conjugate gradients with Jacobi's preconditioner"),
            std::string::npos)
      << result.output;
}

TEST_F(SolverOption, LeavesOurConjugateGradientsNoChoice) {
  expect_refusal(run({"predict", file("grid.mtx"), "--profile", "nvidia-h200"},
                     {"--solver", "fused", "--restart", "5"}),
                 2, "--restart: fused leaves no choice; leave it out");
}

TEST_F(SolverOption, SaysThatAnIterationIsACycle) {
  const Arguments predict{"predict", file("grid.mtx"), "--profile", "nvidia-h200"};
  EXPECT_NE(run(predict, {"--solver", "cg,gmres"})
                .errors.find("of which solvers take different numbers; an iteration of gmres is a "
                             "cycle of 30 steps\n"),
            std::string::npos);
  for (const char* command : {"predict", "advise"}) {
    Arguments one = predict;
    one[0] = command;
    EXPECT_NE(run(one, {"--solver", "gmres", "--restart", "12"})
                  .errors.find("warning: an iteration of gmres is a cycle of 12 steps\n"),
              std::string::npos)
        << command;
  }
}

TEST_F(SolverOption, OfSeveralSolversWarnsOnceOfWhatHoldsForAll) {
  const ProgramRun result =
      run({"predict", file("grid.mtx"), "--profile", "nvidia-h100"},
          {"--layout", "csr,bcsr3", "--launch", "persistent", "--solver", "cg,minres"});
  EXPECT_EQ(result.errors,
            "sparsecast: warning: times are of one iteration, of which solvers take different "
            "numbers\n"
            "sparsecast: warning: cg, minres in csr, bcsr3: calibration has measured the "
            "persistent kernel of fused conjugate gradients alone; the interval is wider\n");
}

TEST_F(SolverOption, RestartsAfterSoManySteps) {
  const auto cycles = [&](const std::string& restart) {
    const ProgramRun result =
        run({"solve", file("grid.mtx"), "--solver", "gmres", "--json"}, {"--restart", restart});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return Json::parse(result.output)["iterations"].get<int>();
  };
  EXPECT_GT(cycles("5"), cycles("50"));
}

TEST_F(SolverOption, SolvesWithAnotherPreconditioner) {
  // A diagonal that Jacobi's would divide by.
  write_file(file("hole.mtx"),
             "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 2 1\n2 1 3\n2 2 1\n");
  const Arguments solve{"solve", file("hole.mtx"), "--json", "--solver", "bicgstab"};
  const ProgramRun jacobi = run(solve, {});
  EXPECT_EQ(jacobi.exit_status, 1);
  EXPECT_NE(jacobi.errors.find("name a --solver with --precondition none"), std::string::npos)
      << jacobi.errors;
  const ProgramRun none = run(solve, {"--precondition", "none"});
  EXPECT_EQ(none.exit_status, 0) << none.errors;
  EXPECT_EQ(Json::parse(none.output)["solver"], "bicgstab-none");

  const ProgramRun all =
      run_program({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--block", "1",
                   "--json", "--solver", "all", "--precondition", "jacobi"});
  EXPECT_EQ(all.exit_status, 0) << all.errors;
  const std::set<std::string> names = schedules(all.output);
  EXPECT_TRUE(names.contains("gmres-jacobi") && names.contains("cg")) << all.output;
  EXPECT_FALSE(names.contains("minres") || names.contains("cg-plain")) << all.output;
}

TEST_F(SolverOption, SolvesWithDiagonalBlocks) {
  // Rows that exchange two unknowns: no diagonal.
  write_file(file("exchange.mtx"),
             "%%MatrixMarket matrix coordinate real general\n4 4 6\n1 2 2\n2 1 3\n3 3 1\n3 4 2\n"
             "4 3 2\n4 4 5\n");
  const Arguments solve{"solve", file("exchange.mtx"), "--json", "--solver", "bicgstab"};
  const ProgramRun blocks = run(solve, {"--precondition", "block-jacobi2"});
  EXPECT_EQ(blocks.exit_status, 0) << blocks.errors;
  EXPECT_EQ(Json::parse(blocks.output)["solver"], "bicgstab-block-jacobi2");
  EXPECT_EQ(Json::parse(blocks.output)["iterations"], 1);
  expect_refusal(run(solve, {"--precondition", "block-jacobi1"}), 1,
                 "block Jacobi: the 1 x 1 diagonal block of row 1 (block 1) is singular; take "
                 "another block size or another preconditioner");
  for (const char* bad : {"block-jacobi", "block-jacobi0", "block-jacobi9"}) {
    expect_refusal(run(solve, {"--precondition", bad}), 2,
                   "expected none, jacobi, chebyshevN (N products, 1 to 16) or block-jacobiN "
                   "(blocks of N rows, 1 to 8)");
  }
  expect_refusal(
      run({"solve", file("grid.mtx")}, {"--solver", "bicg", "--precondition", "block-jacobi2"}), 2,
      "multiplies by the transpose");

  write_file(file("own.json"), R"json({"schema": 1, "name": "own", "operators": {"A": "matrix",
    "M": {"of": "inverse block diagonal", "block": 2}}, "vectors": ["x", "b", "r", "q"],
    "scalars": ["rr"], "roles": {"solution": "x", "right_hand_side": "b", "residual_square": "rr"},
    "setup": [{"apply": "q = A*x"}, {"vector": ["r = b - q", "rr = dot(r, r)"]}],
    "iteration": [{"vector": ["x = x + M*r"]}, {"apply": "q = A*x"},
      {"vector": ["r = b - q", "rr = dot(r, r)"]},
      {"check": ["sqrt(rr) <= residual_limit : converged"]}]})json");
  const ProgramRun own =
      run({"solve", file("exchange.mtx"), "--json", "--schedule", file("own.json")}, {});
  EXPECT_EQ(own.exit_status, 0) << own.errors;
  EXPECT_EQ(Json::parse(own.output)["outcome"], "converged");
}

TEST_F(SolverOption, ForecastsDiagonalBlocksAndSaysThatNobodyHasMeasuredThem) {
  const auto forecast = [&](const std::string& profile, const std::string& by) {
    const ProgramRun predicted =
        run_program({"predict", file("grid.mtx"), "--profile", profile, "--block", "1", "--json",
                     "--solver", "cg", "--precondition", by});
    EXPECT_EQ(predicted.exit_status, 0) << predicted.errors;
    return predicted.output;
  };
  const std::string warning = "priced as passes over vectors";
  for (const char* profile : {"nvidia-h200", "amd-epyc-zen4-2cores"}) {
    const std::string blocks = forecast(profile, "block-jacobi3");
    EXPECT_EQ(schedules(blocks), std::set<std::string>{"cg-block-jacobi3"}) << profile;
    EXPECT_NE(blocks.find(warning), std::string::npos) << blocks;
    EXPECT_EQ(forecast(profile, "jacobi").find(warning), std::string::npos) << profile;
  }
}

TEST_F(SolverOption, ListsTheNames) {
  for (const char* command : {"solve", "predict", "map", "advise", "validate"}) {
    const ProgramRun help = run_program({command, "--help"});
    for (const std::string& name : shipped_names()) {
      const std::regex word("(^|[\\s,])" + name + "([\\s,;)]|$)");
      EXPECT_TRUE(std::regex_search(help.output, word)) << command << ' ' << name;
    }
  }
}

TEST_F(SolverOption, RefusesWhatMeansNothing) {
  const auto refuse = [&](const Arguments& options, const std::string& why) {
    expect_refusal(run({"solve", file("grid.mtx")}, options), 2, why);
  };
  refuse({"--solver", "qmr"}, "--solver qmr: expected bicg, bicgstab, ");
  refuse({"--solver", "all"}, "--solver all: expected bicg, ");
  refuse({"--solver", "cg", "--schedule", "fused"},
         "--solver and --schedule: expected one of them");
  refuse({"--solver", "cg", "--restart", "5"}, "--restart 5: cg is never restarted; leave it out");
  refuse({"--solver", "gmres", "--restart", "0"}, "--restart 0: expected at least 1");
  refuse({"--solver", "gmres", "--restart", "5", "--set", "m=5"}, "--set m is the same");
  refuse({"--solver", "cg", "--atol", "1e-3"}, "--atol is Algorithm 1's own test");
  refuse({"--solver", "cg", "--precondition", "ilu"},
         "--precondition 'ilu'; expected none, jacobi, chebyshevN");
  refuse({"--solver", "minres", "--precondition", "jacobi"},
         "--precondition jacobi: minres leaves no choice; leave it out");
  refuse({"--precondition", "none"}, "--precondition is of a solver by its name or file");
  refuse({"--restart", "5"}, "--restart is of a solver by its name or file; give one");
  expect_refusal(run({"solve", file("grid.mtx")}, {"--solver", "gmres", "--restart", "401"}), 1,
                 "a restart after 401 steps of a system of 400 unknowns");
  expect_refusal(
      run_program({"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--solver", "cg,cg"}),
      2, "--solver cg,cg: cg is given twice; give it once");
}

TEST_F(SolverOption, NamesSolversThatFitAMatrixThatIsNotSymmetric) {
  for (const char* solver : {"cg", "minres"}) {
    expect_refusal(run({"solve", file("general.mtx")}, {"--solver", solver}), 1,
                   "the matrix is not symmetric; " + std::string(solver) + " needs a symmetric");
  }
  const ProgramRun result = run({"solve", file("general.mtx")}, {});
  expect_refusal(result, 1, "fused needs a symmetric positive definite one; use --solver bicg, ");
  EXPECT_EQ(result.errors.find("minres"), std::string::npos) << result.errors;
}

TEST_F(SolverOption, NamesSolversThatFitAMatrixThatIsNotPositiveDefinite) {
  write_file(file("indefinite.mtx"),
             "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 3\n2 2 1\n");
  write_file(file("b.mtx"), "%%MatrixMarket matrix array real general\n2 1\n1\n-1\n");
  for (const Arguments& solver : {Arguments{}, {"--solver", "cg"}}) {
    const ProgramRun result =
        run({"solve", file("indefinite.mtx"), "--rhs", file("b.mtx")}, solver);
    expect_refusal(result, 1, "not positive definite after 1 iteration");
    EXPECT_NE(
        result.errors.find("use --solver " + one_of(shipped_names_for(MatrixKind::symmetric))),
        std::string::npos)
        << result.errors;
  }
  const ProgramRun fits =
      run_program({"solve", file("indefinite.mtx"), "--rhs", file("b.mtx"), "--solver", "minres"});
  EXPECT_EQ(fits.exit_status, 0) << fits.errors;
}

TEST_F(SolverOption, EndsAtRightHandSidesOfZerosAndWithoutNumbers) {
  const auto right = [&](const std::string& value) {
    std::string text = "%%MatrixMarket matrix array real general\n400 1\n";
    for (int row = 0; row < 400; ++row) text += (row == 7 ? value : "0") + std::string("\n");
    write_file(file("b.mtx"), text);
    return file("b.mtx");
  };
  for (const char* solver : {"cg", "bicgstab", "gmres", "minres"}) {
    const Arguments solve{"solve", file("grid.mtx"), "--json", "--solver", solver, "--rhs"};
    const ProgramRun zeros = run(solve, {right("0")});
    EXPECT_EQ(zeros.exit_status, 0) << zeros.errors;
    EXPECT_EQ(Json::parse(zeros.output)["iterations"], 0);
    expect_refusal(run(solve, {right("nan")}), 1, "b.mtx:10: value 'nan' is not finite");
  }
}

TEST_F(SolverOption, PrintsAHistoryAloneWhereThatIsAsked) {
  const ProgramRun result = run({"solve", file("grid.mtx"), "--solver", "cg"}, {"--history", "-"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_TRUE(result.output.starts_with("iteration,residual_norm\n0,")) << result.output;
  EXPECT_EQ(result.output.find("outcome"), std::string::npos) << result.output;
  EXPECT_NE(result.errors.find("outcome     converged"), std::string::npos) << result.errors;
}

TEST_F(SolverOption, ReportsABreakdown) {
  write_file(file("turn.mtx"),
             "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 -3\n2 1 1\n2 2 1\n");
  const Arguments solve{"solve", file("turn.mtx"), "--solver", "bicgstab"};
  const ProgramRun text = run_program(solve);
  expect_refusal(text, 1, "turn.mtx: breakdown after ");
  EXPECT_NE(text.output.find("outcome     breakdown"), std::string::npos) << text.output;
  const Json json = Json::parse(run(solve, {"--json"}).output);
  EXPECT_EQ(json["outcome"], "breakdown");
  EXPECT_EQ(json["solver"], "bicgstab");
}

TEST_F(SolverOption, WritesAHistoryOfTheResidual) {
  const auto solve = [&](const Arguments& more) {
    return run({"solve", file("grid.mtx"), "--json", "--history", file("history.csv")}, more);
  };
  for (const Arguments& solver : {Arguments{}, {"--solver", "bicgstab"}, {"--solver", "minres"}}) {
    const ProgramRun result = solve(solver);
    ASSERT_EQ(result.exit_status, 0) << result.errors;
    const Json json = Json::parse(result.output);
    std::istringstream lines(read_file(file("history.csv")));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "iteration,residual_norm");
    int count = 0;
    double norm = 0;
    for (; std::getline(lines, line); ++count) {
      EXPECT_TRUE(line.starts_with(std::to_string(count) + ',')) << line;
      norm = std::stod(line.substr(line.find(',') + 1));
    }
    EXPECT_EQ(count, json["iterations"].get<int>() + 1);
    EXPECT_EQ(norm, json["recurrence_residual_norm"].get<double>());
    EXPECT_LE(norm, 1e-8 * json["right_hand_side_norm"].get<double>());
  }
  // What keeps none leaves the file as it was.
  const std::string before = read_file(file("history.csv"));
  expect_refusal(solve({"--solver", "cnc"}), 1, "cnc keeps no norm of the residual");
  expect_refusal(solve({"--schedule", "algorithm1"}), 1, "algorithm1 keeps no norm");
  EXPECT_EQ(read_file(file("history.csv")), before);
}

TEST_F(SolverOption, WarnsWhereRoundingPartsTheResiduals) {
  const Arguments solve{"solve", file("grid.mtx"), "--solver", "cg", "--precision", "f32"};
  const ProgramRun parted = run(solve, {"--iterations", "100"});
  EXPECT_EQ(parted.exit_status, 0);
  EXPECT_NE(parted.errors.find("rounding has parted ||b - Ax||"), std::string::npos)
      << parted.errors;
  EXPECT_EQ(run(solve, {"--iterations", "5"}).errors, "");
  EXPECT_EQ(run(solve, {"--rtol", "1e-4"}).errors, "");
}

TEST_F(SolverOption, IsForecastAloneAndAmongOthers) {
  const Arguments predict{"predict", file("grid.mtx"), "--profile", "nvidia-h200", "--block",
                          "1",       "--json"};
  EXPECT_EQ(schedules(run(predict, {"--solver", "gmres"}).output), std::set<std::string>{"gmres"});
  const ProgramRun all = run(predict, {"--solver", "all", "--restart", "5", "--devices", "1,2"});
  EXPECT_EQ(all.exit_status, 0) << all.errors;
  const std::vector<std::string> names = shipped_names_for(MatrixKind::symmetric_positive_definite);
  EXPECT_EQ(schedules(all.output), std::set<std::string>(names.begin(), names.end()));
  // Each over its fastest on one device.
  const Json forecast = Json::parse(all.output);
  std::map<std::string, double> largest;
  for (const Json& each : forecast["predictions"]) {
    if (each["devices"] != 1) continue;
    double& of = largest[each["schedule"]];
    of = std::max(of, each["speedup"].get<double>());
  }
  for (const auto& [schedule, speedup] : largest) EXPECT_DOUBLE_EQ(speedup, 1) << schedule;
}

TEST_F(SolverOption, IsMapped) {
  const Arguments map{"map", "--profile", "nvidia-h200", "--json", "--out", file("map.csv")};
  // A point has what `predict` says of its sizes.
  write_file(file("points.csv"), "name,unknowns,elements\nsmall,10000,50000\n");
  const ProgramRun point = run(map, {"--devices", "1", "--solver", "gmres", "--restart", "3",
                                     "--points", file("points.csv")});
  ASSERT_EQ(point.exit_status, 0) << point.errors;
  const ProgramRun predicted =
      run_program({"predict", "--unknowns", "10000", "--elements", "50000", "--block", "1",
                   "--profile", "nvidia-h200", "--json", "--solver", "gmres", "--restart", "3"});
  EXPECT_NEAR(Json::parse(point.output)["points"][0]["value"].get<double>(),
              Json::parse(predicted.output)["predictions"][0]["raw_gflops"].get<double>(), 1e-6);
  const ProgramRun text = run_program({"map", "--profile", "nvidia-h200", "--devices", "1", "--out",
                                       file("map.csv"), "--solver", "bicgstab"});
  EXPECT_NE(text.output.find("Raw performance of bicgstab on 1 device"), std::string::npos)
      << text.output << text.errors;
  const ProgramRun two = run_program({"map", "--profile", "nvidia-h200", "--profile", "nvidia-h100",
                                      "--out", file("map.csv"), "--solver", "bicgstab"});
  EXPECT_NE(two.output.find("Fastest bicgstab on 1 device"), std::string::npos)
      << two.output << two.errors;
  expect_refusal(
      run_program({"map", "--profile", "gtx280", "--out", file("map.csv"), "--solver", "bicgstab"}),
      2, "--solver: of the traffic model; profile gtx280 is priced by model paper");
}

TEST_F(SolverOption, LeavesOutOfAllWhatAMatrixDoesNotFit) {
  const ProgramRun result = run_program({"predict", file("general.mtx"), "--profile", "nvidia-h200",
                                         "--block", "1", "--json", "--solver", "all"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const std::vector<std::string> names = shipped_names_for(MatrixKind::square);
  EXPECT_EQ(schedules(result.output), std::set<std::string>(names.begin(), names.end()));
  const std::size_t said = result.errors.find("is not symmetric: left out");
  ASSERT_NE(said, std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find("is not symmetric", said + 1), std::string::npos) << result.errors;

  const ProgramRun one = run_program({"predict", file("general.mtx"), "--profile", "nvidia-h200",
                                      "--block", "1", "--json", "--solver", "cg"});
  EXPECT_EQ(schedules(one.output), std::set<std::string>{"cg"});
  EXPECT_NE(one.errors.find("is not symmetric: cg cannot solve with it"), std::string::npos);
}

TEST_F(SolverOption, IsAdvisedOnAndValidated) {
  const ProgramRun advised = run_program(
      {"advise", file("general.mtx"), "--profile", "nvidia-h200", "--solver", "gmres", "--json"});
  EXPECT_EQ(advised.exit_status, 0) << advised.errors;
  // By name: a loop over a part of a temporary reads what is gone.
  const Json advice = Json::parse(advised.output);
  ASSERT_FALSE(advice["choices"].empty()) << advised.output;
  for (const Json& choice : advice["choices"]) EXPECT_EQ(choice["schedule"], "gmres");
  const ProgramRun validated = run_program(
      {"validate", file("grid.mtx"), "--profile", "amd-epyc-zen4-2cores", "--block", "1", "--json",
       "--solver", "cg,gmres", "--restart", "5", "--seconds-per-case", "0.01"});
  EXPECT_EQ(validated.exit_status, 0) << validated.errors;
  EXPECT_EQ(schedules(validated.output), (std::set<std::string>{"cg", "gmres"}));
}

}  // namespace
}  // namespace sparsecast::testing
