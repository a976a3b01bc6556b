#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/renumber.hpp"

namespace sparsecast::testing {
namespace {

/// A folder with a grid's Laplacian, grid.mtx, in symmetric storage.
class SolveCommand : public ::testing::Test {
 protected:
  SolveCommand() {
    write_matrix_market(file("grid.mtx"), laplacian(5, 30, 30).view(), {.symmetric = true});
  }
  std::string file(const char* name) const { return (folder_.path() / name).string(); }
  std::string write(const char* name, const std::string& lines) const {
    write_file(file(name), "%%MatrixMarket matrix coordinate real general\n" + lines);
    return file(name);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(SolveCommand, PrintsHowItEndedAndWritesASolution) {
  const ProgramRun result = run_program({"solve", file("grid.mtx"), "--out", file("x.mtx")});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find("outcome     converged"), std::string::npos) << result.output;
  const CsrMatrix<double> a = laplacian(5, 30, 30);
  const CsrMatrix<double> x = read_matrix_market(file("x.mtx")).matrix;
  ASSERT_EQ(x.nonzeros(), a.rows);
  double residual = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    double value = 1;
    for (auto k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
      value -= a.values[k] * x.values[a.column_indices[k]];
    }
    residual += value * value;
  }
  EXPECT_LT(std::sqrt(residual), 1.1e-8 * 30);
}

TEST_F(SolveCommand, TakesAGeneratedMatrixWithoutAFile) {
  const auto solve = [&](const std::vector<std::string>& matrix, const char* x) {
    std::vector<std::string> arguments{"solve", "--rhs", "random", "--json", "--out", file(x)};
    arguments.insert(arguments.end(), matrix.begin(), matrix.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(nlohmann::json::parse(result.output)["matrix"], matrix.back());
    return read_file(file(x));
  };
  EXPECT_EQ(solve({"--generate", "laplacian --points 5 --size 30"}, "generated.mtx"),
            solve({file("grid.mtx")}, "read.mtx"));
  // Of a kind that is not made by rows, too.
  solve({"--generate", "random  --rows 200 --row-length 6 --seed 3"}, "random.mtx");
}

TEST_F(SolveCommand, RefusesWhatGeneratesNoMatrix) {
  const auto errors = [&](const std::vector<std::string>& matrix) {
    std::vector<std::string> arguments{"solve"};
    arguments.insert(arguments.end(), matrix.begin(), matrix.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    return result.errors;
  };
  EXPECT_EQ(errors({file("grid.mtx"), "--generate", "trefethen --rows 9"}),
            "sparsecast solve: MATRIX and --generate are given; expected one of them\n");
  for (const auto& [words, why] :
       {std::pair("hilbert --rows 4", "--generate: no matrices of kind 'hilbert'"),
        {"", "--generate: kind is missing"},
        {"laplacian", "--generate: --size is missing"},
        {"laplacian --size 4 --rows 3", "--generate: --rows does not apply to laplacian"},
        {"laplacian --points 13 --size 4", "--generate: laplacian with 13 points: expected 3"},
        {"renumber --in a.mtx --order rcm", "--generate: renumber is of a file"}}) {
    EXPECT_NE(errors({"--generate", words}).find(why), std::string::npos) << words;
  }
}

TEST_F(SolveCommand, SolvesByTheScheduleThatIsAskedFor) {
  const auto iterations = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"solve", file("grid.mtx"), "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return nlohmann::json::parse(result.output)["iterations"].get<int>();
  };
  const int fused = iterations({});
  EXPECT_EQ(iterations({"--schedule", "fused"}), fused);
  EXPECT_NEAR(iterations({"--schedule", "algorithm1"}), fused, 1);
  EXPECT_GT(iterations({"--atol", "1e-9"}), 0);
}

TEST_F(SolveCommand, SolvesInDiagonalsWhereTheyFit) {
  for (const char* device : {"cpu", "cpu:0,cpu:1"}) {
    const ProgramRun result =
        run_program({"solve", file("grid.mtx"), "--json", "--device", device, "--layout", "dia"});
    ASSERT_EQ(result.exit_status, 0) << result.errors;
    const auto object = nlohmann::json::parse(result.output);
    EXPECT_EQ(object["layout"], "dia");
    EXPECT_EQ(object["outcome"], "converged");
  }
  // Numbered at random, the nonzeros lie on thousands of diagonals.
  const CsrMatrix<double> grid = laplacian(5, 60, 60);
  write_matrix_market(file("scattered.mtx"),
                      renumber(grid.view(), random_permutation(grid.rows, 3)).view(),
                      {.symmetric = true});
  const ProgramRun refused = run_program({"solve", file("scattered.mtx"), "--layout", "dia"});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_NE(refused.errors.find("layout dia: the nonzeros lie on"), std::string::npos)
      << refused.errors;
  EXPECT_NE(refused.errors.find("use csr"), std::string::npos) << refused.errors;
}

TEST_F(SolveCommand, SuggestsTheLayoutThatWasMeant) {
  const ProgramRun result = run_program({"solve", file("grid.mtx"), "--layout", "bcsr-3"});
  EXPECT_NE(result.exit_status, 0);
  EXPECT_NE(result.errors.find("no layout 'bcsr-3'; did you mean 'bcsr3'?"), std::string::npos)
      << result.errors;
}

TEST_F(SolveCommand, RefusesSchedulesAndLaunchModesThatThereAreNot) {
  const auto refuse = [&](const std::vector<std::string>& options, const std::string& why) {
    std::vector<std::string> arguments{"solve", file("grid.mtx")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
  };
  refuse({"--schedule", "gmres"},
         "--schedule: 'gmres'; expected fused, algorithm1 or a file that ends with .json");
  refuse({"--device", "cuda:0", "--launch", "later"}, "--launch: unknown launch mode 'later'");
  refuse({"--atol", "1e-9", "--schedule", "fused"}, "expected --schedule algorithm1");
}

TEST_F(SolveCommand, SolvesByASolverOfTheUsersOwn) {
  const std::string gmres = std::string(SPARSECAST_SOURCE_DIR) + "/schedules/gmres.json";
  // Not symmetric, which conjugate gradients refuse.
  const std::string matrix = write("upwind.mtx", "3 3 5\n1 1 4\n1 2 -1\n2 2 4\n3 1 -2\n3 3 5\n");
  const ProgramRun result = run_program(
      {"solve", matrix, "--schedule", gmres, "--set", "m=3", "--json", "--out", file("x.mtx")});
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(nlohmann::json::parse(result.output)["outcome"], "converged");
  const CsrMatrix<double> x = read_matrix_market(file("x.mtx")).matrix;
  EXPECT_NEAR(x.values[0], 0.3125, 1e-7);
  EXPECT_NEAR(x.values[1], 0.25, 1e-7);
  EXPECT_NEAR(x.values[2], 0.325, 1e-7);
  const ProgramRun devices =
      run_program({"solve", file("grid.mtx"), "--schedule", gmres, "--device", "cpu:0,cpu:1",
                   "--precision", "f32", "--rtol", "1e-3"});
  EXPECT_EQ(devices.exit_status, 0) << devices.errors;
}

TEST_F(SolveCommand, TakesAsManyIterationsStepByStep) {
  const std::string cnc = std::string(SPARSECAST_SOURCE_DIR) + "/schedules/cnc.json";
  const auto iterations = [&](const std::string& execution) {
    const ProgramRun result = run_program(
        {"solve", file("grid.mtx"), "--schedule", cnc, "--execution", execution, "--json"});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return nlohmann::json::parse(result.output)["iterations"].get<int>();
  };
  EXPECT_NEAR(iterations("step-by-step"), iterations("fused"), 1);
}

TEST_F(SolveCommand, StopsInTheNormOfThePreconditionerWhereThatIsAsked) {
  const std::string cnc = std::string(SPARSECAST_SOURCE_DIR) + "/schedules/cnc.json";
  const auto solved = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"solve",  file("grid.mtx"), "--rtol", "1e-5",
                                       "--stop", "preconditioned", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  };
  const auto ours = solved({});
  const auto theirs = solved({"--schedule", cnc, "--execution", "step-by-step"});
  for (const auto& result : {ours, theirs}) {
    EXPECT_EQ(result["outcome"], "converged");
    const double first = result["first_preconditioned_norm"].get<double>();
    EXPECT_GT(first, 0);
    EXPECT_LE(result["preconditioned_norm"].get<double>(), 1.01e-5 * first);
  }
  EXPECT_NEAR(ours["iterations"].get<double>(), theirs["iterations"].get<double>(), 1);
  const ProgramRun text = run_program({"solve", file("grid.mtx"), "--stop", "preconditioned"});
  EXPECT_NE(text.output.find("in M^-1"), std::string::npos) << text.output;

  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--stop", "energy"},
                                                {"--stop", "preconditioned", "--iterations", "3"},
                                                {"--stop", "residual", "--atol", "1e-3"}}) {
    std::vector<std::string> arguments{"solve", file("grid.mtx")};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_NE(result.errors.find("--stop: "), std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
  }
}

TEST_F(SolveCommand, RefusesSolversOfTheUsersOwnThatMakeNoSense) {
  const std::string gmres = std::string(SPARSECAST_SOURCE_DIR) + "/schedules/gmres.json";
  write_file(file("bad.json"), R"({"schema": 1, "name": "bad", "iteration": [{"vectr": []}]})");
  write_file(file("fused.json"), [&] {
    std::string text = read_file(gmres);
    return text.replace(text.find("\"gmres\""), 7, "\"fused\"");
  }());
  const auto refuse = [&](int status, const std::vector<std::string>& options,
                          const std::string& why) {
    std::vector<std::string> arguments{"solve", file("grid.mtx")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramRun result = run_program(arguments);
    EXPECT_EQ(result.exit_status, status);
    EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << result.errors;
  };
  refuse(2, {"--set", "m=3"}, "--set is of a solver by its name or file; give one");
  refuse(2, {"--execution", "fused"}, "--execution is of a solver by its name or file; give one");
  refuse(2, {"--schedule", gmres, "--execution", "slow"}, "expected fused or step-by-step");
  refuse(2, {"--schedule", gmres, "--set", "m"}, "--set m: expected NAME=NUMBER");
  refuse(2, {"--schedule", gmres, "--set", "m=2", "--set", "m=3"}, "m is given twice");
  refuse(2, {"--schedule", gmres, "--atol", "1e-9"}, "--atol is Algorithm 1's own test");
  refuse(2, {"--schedule", gmres, "--set", "restart=3"}, "has no parameter 'restart'");
  refuse(2, {"--solver", "gmres", "--set", "q=3"},
         "--set q: schedule 'gmres' has no parameter 'q'; did you mean 'm'?");
  refuse(1, {"--schedule", gmres, "--set", "m=2.5"}, "expected a whole number");
  refuse(1, {"--schedule", file("none.json")}, "none.json: cannot read");
  refuse(1, {"--schedule", file("bad.json")}, "bad.json: field 'operators' is missing");
  refuse(1, {"--schedule", file("fused.json")}, "cannot be named 'fused'");
}

TEST_F(SolveCommand, RefusesWhatMeansNothingOnACpu) {
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--launch", "graph"}, {"--exchange", "halo"}}) {
    const ProgramRun result = run_program({"solve", file("grid.mtx"), option[0], option[1]});
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_NE(result.errors.find(option[0] + ": "), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("leave it out"), std::string::npos) << result.errors;
  }
}

TEST_F(SolveCommand, TakesAsManyThreadsAsThereAre) {
  const ProgramRun result = run_program({"solve", file("grid.mtx"), "--threads", "100000"});

  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("--threads 100000: this machine has "), std::string::npos)
      << result.errors;
}

TEST_F(SolveCommand, TakesNumbersOfIterationsWithAnExponent) {
  const ProgramRun result =
      run_program({"solve", file("grid.mtx"), "--iterations", "1e1", "--json"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(nlohmann::json::parse(result.output)["iterations"], 10);
  EXPECT_EQ(run_program({"solve", file("grid.mtx"), "--iterations", "10.5"}).exit_status, 2);
}

TEST_F(SolveCommand, WritesTheSolutionAsAnArray) {
  EXPECT_EQ(run_program({"solve", file("grid.mtx"), "--out", file("x.mtx")}).exit_status, 0);

  EXPECT_TRUE(read_file(file("x.mtx"))
                  .starts_with("%%MatrixMarket matrix array real general\n"
                               "% solution x of A x = b\n900 1\n"));
}

TEST_F(SolveCommand, WritesTheSolutionToDevicesAndStandardOutput) {
  const std::string link = file("nowhere");
  std::filesystem::create_symlink("/dev/null", link);
  EXPECT_EQ(run_program({"solve", file("grid.mtx"), "--out", link}).exit_status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));

  EXPECT_EQ(run_program({"solve", file("grid.mtx"), "--out", file("x.mtx")}).exit_status, 0);
  for (const char* name : {"-", "/proc/self/fd/1"}) {
    const ProgramRun result = run_program({"solve", file("grid.mtx"), "--out", name});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.output, read_file(file("x.mtx"))) << name;
    EXPECT_NE(result.errors.find("outcome     converged"), std::string::npos) << name;
    EXPECT_EQ(run_program({"solve", file("grid.mtx"), "--out", name, "--json"}).exit_status, 2);
  }
}

TEST_F(SolveCommand, LeavesAnEarlierSolutionWhereItFindsNone) {
  const std::vector<std::string> solve{"solve", file("grid.mtx"), "--out", file("x.mtx")};
  EXPECT_EQ(run_program(solve).exit_status, 0);
  const std::string solution = read_file(file("x.mtx"));
  std::vector<std::string> in_vain = solve;
  in_vain.insert(in_vain.end(), {"--max-iterations", "3"});
  const ProgramRun result = run_program(in_vain);

  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("x.mtx is left as it was"), std::string::npos) << result.errors;
  EXPECT_EQ(read_file(file("x.mtx")), solution);
}

TEST_F(SolveCommand, RefusesAnEmptyNameAndWhatIsNoDevice) {
  EXPECT_EQ(run_program({"solve", file("grid.mtx"), "--out", ""}).exit_status, 2);
  for (const char* device : {"foo", "cuda", "cpu:", "cpu:0,cpu:0"}) {
    EXPECT_EQ(run_program({"solve", file("grid.mtx"), "--device", device}).exit_status, 2);
  }
}

TEST_F(SolveCommand, SaysBeforeTheWorkThatNobodyReadsAPipe) {
  ASSERT_EQ(mkfifo(file("pipe").c_str(), 0600), 0);
  // The matrix is not even looked at.
  const ProgramRun result = run_program({"solve", file("no.mtx"), "--out", file("pipe")});

  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("pipe: nobody reads this pipe"), std::string::npos) << result.errors;
}

TEST_F(SolveCommand, RefusesToWriteOverWhatItReads) {
  const std::string before = read_file(file("grid.mtx"));
  std::filesystem::create_symlink("grid.mtx", file("link.mtx"));
  for (const char* name : {"grid.mtx", "link.mtx"}) {
    const ProgramRun result = run_program({"solve", file("grid.mtx"), "--out", file(name)});
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_NE(result.errors.find("is MATRIX too; choose another name"), std::string::npos)
        << result.errors;
  }
  EXPECT_EQ(read_file(file("grid.mtx")), before);
}

TEST_F(SolveCommand, ChecksItsOutputBeforeTheWork) {
  // The matrix is not even looked at.
  const ProgramRun result =
      run_program({"solve", file("no.mtx"), "--out", file("no folder/x.mtx")});

  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("no folder/x.mtx: cannot write"), std::string::npos)
      << result.errors;
}

TEST_F(SolveCommand, EndsWithTheSignalsStatusWhenInterrupted) {
  write_matrix_market(file("large.mtx"), laplacian(5, 300, 300).view(), {.symmetric = true});
  for (const int number : {SIGINT, SIGHUP}) {
    const ProgramRun result =
        run(tested_program(), {"solve", file("large.mtx"), "--iterations", "1e7"}, {},
            [&](pid_t process) {
              wait_until_it_handles_interrupts(process);
              kill(process, number);
            });
    EXPECT_EQ(result.exit_status, 128 + number);
    EXPECT_NE(result.errors.find("interrupted after"), std::string::npos) << result.errors;
    EXPECT_NE(result.output.find("outcome     interrupted\n"), std::string::npos) << result.output;
  }
}

TEST_F(SolveCommand, SaysThatDuplicatesAreSummed) {
  const std::string twice = write("twice.mtx", "2 2 4\n1 1 1\n2 2 4\n1 1 1\n1 1 1\n");
  const ProgramRun result = run_program({"solve", twice});

  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.errors.find("2 entries stand where an earlier one does"), std::string::npos)
      << result.errors;
}

TEST_F(SolveCommand, PrintsNumbersAsJson) {
  const ProgramRun result =
      run_program({"solve", file("grid.mtx"), "--json", "--device", "cpu:0,cpu:1", "--layout",
                   "bcsr4-sorted", "--precision", "f32", "--rtol", "1e-4", "--rhs", "random"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto object = nlohmann::json::parse(result.output);
  EXPECT_EQ(object["outcome"], "converged");
  EXPECT_EQ(object["layout"], "bcsr4-sorted");
  EXPECT_EQ(object["precision"], "f32");
  EXPECT_EQ(object["bytes_per_device"].size(), 2u);
  EXPECT_GT(object["iterations"].get<int>(), 5);
  EXPECT_LT(object["residual_norm"].get<double>(),
            1.1e-4 * object["right_hand_side_norm"].get<double>());
}

TEST_F(SolveCommand, RunsExactlySoManyIterations) {
  const ProgramRun result = run_program({"solve", file("grid.mtx"), "--iterations", "7", "--json"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(nlohmann::json::parse(result.output)["iterations"], 7);
}

TEST_F(SolveCommand, ReadsTheRightHandSideFromAFile) {
  const std::string identity = write("identity.mtx", "2 2 2\n1 1 2\n2 2 4\n");
  const std::string b = write("b.mtx", "2 1 2\n1 1 3\n2 1 4\n");

  const ProgramRun result = run_program({"solve", identity, "--rhs", b, "--out", file("x.mtx")});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto x = read_matrix_market(file("x.mtx")).matrix;
  EXPECT_DOUBLE_EQ(x.values[0], 1.5);
  EXPECT_DOUBLE_EQ(x.values[1], 1);
  const ProgramRun wrong = run_program({"solve", file("grid.mtx"), "--rhs", b});
  EXPECT_EQ(wrong.exit_status, 1);
  EXPECT_NE(wrong.errors.find("expected one column of 900 rows"), std::string::npos);
}

TEST_F(SolveCommand, GivesTheSolutionInTheOrderOfTheMatrixAfterARenumbering) {
  // Neither b nor x is symmetric.
  CsrMatrix<double> b;
  b.rows = 900;
  b.columns = 1;
  b.row_offsets.push_back(0);
  for (int row = 0; row < 900; ++row) {
    b.column_indices.push_back(0);
    b.values.push_back(1 + row % 7);
    b.row_offsets.push_back(row + 1);
  }
  write_matrix_market(file("b.mtx"), b.view(), {});
  const auto solution = [&](const std::string& how) {
    const ProgramRun result =
        run_program({"solve", file("grid.mtx"), "--rhs", file("b.mtx"), "--renumber", how,
                     "--device", "cpu:0,cpu:1", "--rtol", "1e-12", "--out", file("x.mtx")});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return read_matrix_market(file("x.mtx")).matrix.values;
  };
  const auto expected = solution("none");
  for (const char* how : {"random", "rcm", "metis"}) {
    const auto x = solution(how);
    ASSERT_EQ(x.size(), expected.size());
    for (std::size_t row = 0; row < x.size(); ++row) {
      ASSERT_NEAR(x[row], expected[row], 1e-9 * std::abs(expected[row])) << how << ' ' << row;
    }
  }
}

TEST_F(SolveCommand, RefusesToOrderForSeveralDevicesOnOne) {
  const ProgramRun result = run_program({"solve", file("grid.mtx"), "--renumber", "metis"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.errors,
            "sparsecast solve: --renumber metis orders for several devices; --device names one\n");
}

TEST_F(SolveCommand, RefusesAnOrderOfRanksInOneProcess) {
  const ProgramRun result = run_program({"solve", file("grid.mtx"), "--renumber", "ptscotch"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(
      result.errors,
      "sparsecast solve: --renumber ptscotch cuts for several ranks of mpirun; one process has "
      "nothing to cut, and for its devices there is metis\n");
}

TEST_F(SolveCommand, SaysWhatToDoWhenItDidNotConverge) {
  const ProgramRun result = run_program({"solve", file("grid.mtx"), "--max-iterations", "3"});

  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.output.find("outcome     iteration limit"), std::string::npos);
  EXPECT_NE(result.errors.find("allow more iterations"), std::string::npos) << result.errors;
}

TEST_F(SolveCommand, RefusesMatricesThatCgCannotSolveInOneLine) {
  const auto refused = [](const std::string& path, const std::string& why) {
    const ProgramRun result = run_program({"solve", path});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  };
  refused(write("wide.mtx", "2 3 1\n1 1 2\n"),
          "2 rows and 3 columns; a solve needs a square matrix");
  refused(write("skew.mtx", "2 2 3\n1 1 2\n2 2 2\n1 2 1\n"), "not symmetric");
  refused(write("indefinite.mtx", "2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 1.5\n"),
          "not positive definite after");
  refused(write("hole.mtx", "2 2 3\n1 1 1\n1 2 2\n2 1 2\n"), "nonpositive diagonal");
  refused("no_such.mtx", "no_such.mtx");
}

TEST_F(SolveCommand, CallsWrongOptionsWrongUse) {
  const std::vector<std::vector<std::string>> wrong{{"--block", "5"},
                                                    {"--block", "2", "--layout", "csr"},
                                                    {"--layout", "ellpack"},
                                                    {"--rtol", "-1"},
                                                    {"--rtol", "1", "--atol", "1"},
                                                    {"--iterations", "0"},
                                                    {"--precision", "double"},
                                                    {"--threads", "-2"},
                                                    {"--iterations", "1", "--max-iterations", "1"}};
  for (std::vector<std::string> options : wrong) {
    SCOPED_TRACE(options[0] + " " + options[1]);
    options.insert(options.begin(), {"solve", file("grid.mtx")});
    EXPECT_EQ(run_program(options).exit_status, 2);
  }
  EXPECT_EQ(run_program({"solve"}).exit_status, 2);
  EXPECT_EQ(run_program({"solve", file("grid.mtx"), "--device", "cuda:9999"}).exit_status, 1);
}

TEST(BenchCommand, MeasuresIterationsOfConjugateGradients) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "grid.mtx";
  write_matrix_market(file, laplacian(5, 40, 40).view());

  const ProgramRun result = run_program({"bench", "cg", file.string(), "--json"});

  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const auto rows = nlohmann::json::parse(result.output)["measurements"];
  EXPECT_EQ(rows.size(), 11u);
  for (const auto& row : rows) EXPECT_GT(row["seconds"].get<double>(), 0);
}

}  // namespace
}  // namespace sparsecast::testing
