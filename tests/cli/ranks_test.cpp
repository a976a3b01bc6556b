#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/gpus_of_tested_program.hpp"
#include "cli/run_program.hpp"
#include "cli/temporary_folder.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/renumber.hpp"
#include "model/network/network_file.hpp"
#include "mpi_launcher.hpp"

namespace sparsecast::testing {
namespace {

/// The program under mpirun, with a folder for its files.
class SolveOnRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_ranks(); !why.empty()) GTEST_SKIP() << why;
    if (!tested_program_has("MPI")) GTEST_SKIP() << "the tested program has no MPI";
    write_matrix_market(file("grid.mtx"), laplacian(5, 40, 30).view(), {.symmetric = true});
    write_matrix_market(file("general.mtx"), dominant_matrix(300).view());
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryFolder folder_;
};

ProgramRun ranks(int count, const std::vector<std::string>& arguments,
                 const std::function<void(pid_t)>& meanwhile = {}) {
  return run_on_ranks(count, tested_program(), arguments, meanwhile);
}

std::vector<std::string> operator+(std::vector<std::string> some,
                                   const std::vector<std::string>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

/// Of as many ranks of one thread each, that write x into a file.
void expect_same_bits_twice(const std::string& x, int count,
                            const std::vector<std::string>& words) {
  std::string first;
  for (int round = 0; round < 2; ++round) {
    const ProgramRun run = ranks(count, words + std::vector<std::string>{"--out", x});
    ASSERT_EQ(run.exit_status, 0) << run.errors;
    EXPECT_NE(run.output.find(std::to_string(count) + " ranks of 1 thread"), std::string::npos)
        << run.output;
    const std::string text = read_file(x);
    if (round == 0) first = text;
    EXPECT_EQ(text, first);
  }
}

/// The lines that the program itself has said.
std::vector<std::string> own_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("sparsecast")) lines.push_back(line);
  }
  return lines;
}

std::vector<double> values_of(const std::string& path) {
  const CsrMatrix<double> x = read_matrix_market(path).matrix;
  return {x.values.begin(), x.values.end()};
}

/// Solves on one process and on ranks: both converge, to the same solution. `of_ranks`: further
/// arguments of the ranks.
void expect_alike(const std::string& x_alone, const std::string& x_ranks, int count,
                  const std::vector<std::string>& arguments, double tolerance,
                  const std::vector<std::string>& of_ranks = {}) {
  const ProgramRun alone = run_program(arguments + std::vector<std::string>{"--out", x_alone});
  ASSERT_EQ(alone.exit_status, 0) << alone.errors;
  const ProgramRun together =
      ranks(count, arguments + std::vector<std::string>{"--out", x_ranks} + of_ranks);
  ASSERT_EQ(together.exit_status, 0) << together.errors;
  EXPECT_EQ(together.errors, "");
  const auto one = nlohmann::json::parse(alone.output);
  const auto all = nlohmann::json::parse(together.output);
  EXPECT_EQ(all["outcome"], one["outcome"]);
  const double iterations = one["iterations"];
  EXPECT_NEAR(all["iterations"].get<double>(), iterations, 2 + 0.02 * iterations);
  EXPECT_EQ(all["bytes_per_device"].size(), static_cast<std::size_t>(count));
  const std::vector<double> expected = values_of(x_alone);
  const std::vector<double> x = values_of(x_ranks);
  ASSERT_EQ(x.size(), expected.size());
  double difference = 0;
  double square = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference += (x[i] - expected[i]) * (x[i] - expected[i]);
    square += expected[i] * expected[i];
  }
  EXPECT_LE(std::sqrt(difference / square), tolerance);
}

TEST_F(SolveOnRanks, IsAlikeByEverySolver) {
  for (const std::string& solver : shipped_names()) {
    SCOPED_TRACE(solver);
    const bool square = shipped_method(solver).needs == MatrixKind::square;
    expect_alike(file("one.mtx"), file("all.mtx"), 2,
                 {"solve", file(square ? "general.mtx" : "grid.mtx"), "--solver", solver, "--json",
                  "--threads", "1", "-q", "--max-iterations", "20000"},
                 1e-5);
  }
}

TEST_F(SolveOnRanks, IsAlikeInLayoutsAndPrecisionsOnFour) {
  for (const char* layout : {"bcsr3", "ell", "sell32-sorted", "dia", "hyb", "coo"}) {
    SCOPED_TRACE(layout);
    expect_alike(file("one.mtx"), file("all.mtx"), 4,
                 {"solve", file("grid.mtx"), "--layout", layout, "--json", "--threads", "1"}, 1e-6);
  }
  expect_alike(file("one.mtx"), file("all.mtx"), 4,
               {"solve", file("general.mtx"), "--solver", "gmres", "--precision", "f32", "--rtol",
                "1e-4", "--rhs", "random", "--json", "--threads", "1"},
               1e-3);
}

TEST_F(SolveOnRanks, IsAlikeByBlockJacobi) {
  for (const auto& [solver, matrix] : {std::pair{"cg", "grid.mtx"}, {"bicgstab", "general.mtx"}}) {
    SCOPED_TRACE(solver);
    expect_alike(file("one.mtx"), file("all.mtx"), 3,
                 {"solve", file(matrix), "--solver", solver, "--precondition", "block-jacobi7",
                  "--layout", "bcsr2", "--json", "--threads", "1"},
                 1e-6);
  }
}

TEST_F(SolveOnRanks, GivesTheSameBitsTwice) {
  expect_same_bits_twice(file("x.mtx"), 4, {"solve", file("grid.mtx"), "--threads", "1"});
}

TEST_F(SolveOnRanks, ShareTheThreadsOfTheirCores) {
  const int all = allowed_threads();
  for (const int count : {1, 2, 3}) {
    const std::vector<std::string> words{"solve", file("grid.mtx"), "-v"};
    const ProgramRun run = count > 1 ? ranks(count, words) : run_program(words);
    ASSERT_EQ(run.exit_status, 0) << run.errors;
    const std::string share = std::to_string(std::max(1, all / count)) +
                              " threads of the CPU, of " + std::to_string(all) + '\n';
    EXPECT_NE(run.errors.find(share), std::string::npos) << count << " ranks: " << run.errors;
  }
}

TEST_F(SolveOnRanks, MayHaveFewerRowsThanRanks) {
  write_matrix_market(file("small.mtx"), laplacian(5, 3, 1).view());
  expect_alike(file("one.mtx"), file("all.mtx"), 4,
               {"solve", file("small.mtx"), "--json", "--threads", "1"}, 1e-9);
}

TEST_F(SolveOnRanks, GenerateTheirRowsAsTheyReadThem) {
  for (const auto& [words, solver] : {std::pair("laplacian --points 27 --size 9,8,7", "cg"),
                                      {"convection-diffusion --size 17,12 --peclet 20", "bicg"}}) {
    SCOPED_TRACE(words);
    std::vector<std::string> generate{"generate"};
    std::istringstream in(words);
    for (std::string word; in >> word;) generate.push_back(word);
    ASSERT_EQ(run_program(generate + std::vector<std::string>{"--out", file("made.mtx")}).errors,
              "");
    const std::vector<std::string> options{"--solver", solver, "--rhs", "random", "--threads", "1"};
    const auto solve = [&](const std::vector<std::string>& matrix, const std::string& x) {
      const ProgramRun run =
          ranks(3, std::vector<std::string>{"solve", "--out", file(x)} + matrix + options);
      EXPECT_EQ(run.exit_status, 0) << run.errors;
      EXPECT_EQ(run.errors, "");
      return read_file(file(x));
    };
    EXPECT_EQ(solve({"--generate", words}, "generated.mtx"), solve({file("made.mtx")}, "read.mtx"));
  }
}

TEST_F(SolveOnRanks, WriteTheSameBytesAsOneProcess) {
  // x and all that is computed on the way, sums too, are exact: b.M^-1 b is 1024, 1 for each row.
  std::string matrix = "%%MatrixMarket matrix coordinate real symmetric\n1024 1024 1024\n";
  std::vector<double> b;
  std::vector<double> x;
  std::mt19937 random(1);
  for (int row = 1; row <= 1024; ++row) {
    const unsigned power = 1u << random() % 8;
    matrix += std::to_string(row) + ' ' + std::to_string(row) + ' ' +
              std::to_string(power * power) + '\n';
    b.push_back(random() % 2 == 0 ? power : -static_cast<double>(power));
    x.push_back(b.back() / (power * power));
  }
  write_file(file("diagonal.mtx"), matrix);
  write_matrix_market_vector(file("b.mtx"), b);
  write_matrix_market_vector(file("expected.mtx"), x, "solution x of A x = b");
  const std::string expected = read_file(file("expected.mtx"));
  const std::vector<std::string> solve{
      "solve", file("diagonal.mtx"), "--rhs", file("b.mtx"), "--threads", "1", "--out"};
  // Not replaced: that has other names.
  write_file(file("linked.mtx"), "old");
  std::filesystem::create_hard_link(file("linked.mtx"), file("name.mtx"));
  for (const int count : {1, 2, 4}) {
    SCOPED_TRACE(count);
    for (const char* name : {"x.mtx", "linked.mtx"}) {
      EXPECT_EQ(ranks(count, solve + std::vector<std::string>{file(name)}).errors, "");
      EXPECT_EQ(read_file(file(name)), expected) << name;
    }
    EXPECT_EQ(ranks(count, solve + std::vector<std::string>{"-"}).output, expected);
    EXPECT_EQ(ranks(count, solve + std::vector<std::string>{file("x.mtx.gz")}).errors, "");
    EXPECT_EQ(values_of(file("x.mtx.gz")), x);
  }
}

/// Matrices in a random order.
class SolveOnRanksRenumbered : public SolveOnRanks {
 protected:
  void SetUp() override {
    SolveOnRanks::SetUp();
    if (IsSkipped()) return;
    if (!tested_program_has("PT-Scotch")) GTEST_SKIP() << "the tested program has no PT-Scotch";
    const auto write = [&](const std::string& name, const CsrMatrix<double>& matrix,
                           bool symmetric) {
      const CsrMatrix<double> mixed =
          renumber<double>(matrix.view(), random_permutation(matrix.rows, 7));
      write_matrix_market(file(name), mixed.view(), {.symmetric = symmetric});
    };
    write("mixed.mtx", laplacian(5, 40, 31), true);
    write("mixed-general.mtx", dominant_matrix(301), false);
  }
  const std::vector<std::string> renumbered_{"--renumber", "ptscotch"};
};

TEST_F(SolveOnRanksRenumbered, AreAlikeInTheOrderOfTheFile) {
  std::vector<double> b;
  for (int row = 0; row < 40 * 31; ++row) b.push_back(1 + row * row % 97);
  write_matrix_market_vector(file("b.mtx"), b);
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{file("mixed.mtx"), "--rhs", "random"},
        {file("mixed.mtx"), "--rhs", file("b.mtx"), "--layout", "bcsr3"},
        {file("mixed.mtx"), "--layout", "sell32-sorted", "--solver", "cg"},
        {file("mixed-general.mtx"), "--solver", "bicg", "--rhs", "random", "--layout", "bcsr2"},
        {file("mixed-general.mtx"), "--solver", "gmres"},
        {"--generate", "laplacian --points 27 --size 9,8,7", "--rhs", "random"}}) {
    SCOPED_TRACE(options.back());
    for (const int count : {2, 4}) {
      expect_alike(
          file("one.mtx"), file("all.mtx"), count,
          std::vector<std::string>{"solve", "--json", "--threads", "1", "--rtol", "1e-11", "-q"} +
              options,
          1e-8, renumbered_);
    }
  }
}

TEST_F(SolveOnRanksRenumbered, GiveTheSameBitsTwice) {
  expect_same_bits_twice(
      file("x.mtx"), 3,
      std::vector<std::string>{"solve", file("mixed.mtx"), "--threads", "1"} + renumbered_);
}

TEST_F(SolveOnRanksRenumbered, MayHaveFewerRowsThanRanks) {
  write_matrix_market(file("small.mtx"), laplacian(5, 3, 1).view());
  expect_alike(file("one.mtx"), file("all.mtx"), 4,
               {"solve", file("small.mtx"), "--json", "--threads", "1"}, 1e-9, renumbered_);
}

TEST_F(SolveOnRanksRenumbered, RefuseAnUnsymmetricMatrix) {
  const ProgramRun run =
      ranks(2, std::vector<std::string>{"solve", file("mixed-general.mtx")} + renumbered_);
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_NE(run.errors.find("is not symmetric"), std::string::npos) << run.errors;
}

TEST_F(SolveOnRanks, WritesTheHistoryOfOne) {
  const std::vector<std::string> solve{"solve", file("grid.mtx"), "--threads", "1", "--iterations",
                                       "7",     "--history"};
  ASSERT_EQ(run_program(solve + std::vector<std::string>{file("one.csv")}).exit_status, 0);
  ASSERT_EQ(ranks(2, solve + std::vector<std::string>{file("all.csv")}).exit_status, 0);
  const std::string one = read_file(file("one.csv"));
  const std::string all = read_file(file("all.csv"));
  EXPECT_EQ(std::ranges::count(all, '\n'), std::ranges::count(one, '\n'));
}

/// Exit status and the one line of a run that is refused.
void expect_refused(const ProgramRun& run, int status, const std::string& part) {
  EXPECT_EQ(run.exit_status, status) << run.errors;
  EXPECT_EQ(run.output, "");
  const std::vector<std::string> lines = own_lines(run.errors);
  ASSERT_EQ(lines.size(), 1u) << run.errors;
  EXPECT_NE(lines[0].find(part), std::string::npos) << lines[0];
}

TEST_F(SolveOnRanks, RefusesBadInputInOneLine) {
  write_file(file("bad.mtx"),
             "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 x 1\n");
  write_file(file("kind.npz"), "PK\x03\x04");
  const auto solve = [&](const std::vector<std::string>& arguments) {
    return ranks(2, std::vector<std::string>{"solve"} + arguments);
  };
  expect_refused(solve({file("bad.mtx")}), 1, "bad.mtx:4: ");
  expect_refused(solve({file("none.mtx")}), 1, "none.mtx: ");
  expect_refused(solve({file("kind.npz")}), 1, "is not read in parts");
  expect_refused(solve({"-"}), 1, "standard input: comes to one of several processes alone");
  expect_refused(solve({file("general.mtx")}), 1, "is not symmetric");
  expect_refused(solve({"--generate", "random --rows 90 --row-length 4"}), 2,
                 "rows of random are not made one by one, which several processes need; expected "
                 "laplacian or convection-diffusion");
  expect_refused(solve({"--generate", "convection-diffusion --size 9,9 --peclet 5"}), 1,
                 "is not symmetric");
  expect_refused(solve({file("grid.mtx"), "--device", "cpu:0,cpu:1"}), 2, "--device cpu:0,cpu:1");
  expect_refused(solve({file("grid.mtx"), "--renumber", "rcm"}), 2,
                 "--renumber rcm: under mpirun expected none or ptscotch");
  if (!tested_program_has("PT-Scotch")) {
    expect_refused(solve({file("grid.mtx"), "--renumber", "ptscotch"}), 1,
                   "built without PT-Scotch");
  }
  expect_refused(solve({file("grid.mtx"), "--out", file("no/x.mtx")}), 1, "no/x.mtx");
}

TEST_F(SolveOnRanks, NamesTheRowsOfASingularBlock) {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n40 40 40\n";
  for (int row = 1; row <= 40; ++row) {
    const bool singular = row == 35 || row == 36;  // [1 1; 1 1] of rows 35 and 36
    text += std::to_string(row) + ' ' + std::to_string(row == 36 ? 35 : row) + " 1\n";
    if (singular && row == 36) text += "36 36 1\n";
  }
  text.replace(text.find("40 40 40"), 8, "40 40 41");
  write_file(file("singular.mtx"), text);
  expect_refused(ranks(2, {"solve", file("singular.mtx"), "--solver", "cg", "--precondition",
                           "block-jacobi2"}),
                 1, "diagonal block of rows 35 to 36 (block 18) is singular");
}

/// Two ranks with the same arguments, each started by other words in front of the program.
ProgramRun unlike_ranks(const std::vector<std::string>& first,
                        const std::vector<std::string>& second,
                        const std::vector<std::string>& arguments) {
  const std::vector<std::string> program{tested_program()};
  const std::vector<std::string> words = first + program + arguments +
                                         std::vector<std::string>{":", "-n", "1"} + second +
                                         program + arguments;
  return run_on_ranks(1, words[0], {words.begin() + 1, words.end()});
}

/// One GPU is enough, on which the processes take turns: slowly, so that systems are small.
class SolveOnRanksOneGpu : public SolveOnRanks {
 protected:
  void SetUp() override {
    const GpuList gpus = gpus_of_tested_program();
    if (gpus.devices.empty()) GTEST_SKIP() << gpus.absence;
    SolveOnRanks::SetUp();
    if (!IsSkipped()) write_matrix_market(file("tiny.mtx"), dominant_matrix(40).view());
  }
};

TEST_F(SolveOnRanksOneGpu, IsAlikeAndSaysThatTheyShareIt) {
  for (const char* launch : {"auto", "host"}) {
    SCOPED_TRACE(launch);
    const std::vector<std::string> arguments{"solve",    file("tiny.mtx"), "--device", "cuda:0",
                                             "--launch", launch,           "--solver", "bicgstab",
                                             "--rtol",   "1e-6",           "--json",   "-q"};
    expect_alike(file("one.mtx"), file("all.mtx"), 2, arguments, 1e-5);
  }
  const ProgramRun run = ranks(2, {"solve", file("tiny.mtx"), "--device", "cuda:0", "--launch",
                                   "host", "--solver", "bicgstab"});
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_NE(run.errors.find("ranks 0 and 1 share a GPU"), std::string::npos) << run.errors;
}

TEST_F(SolveOnRanksOneGpu, RefusesBadInputInOneLine) {
  const auto solve = [&](const std::vector<std::string>& arguments) {
    return ranks(2, std::vector<std::string>{"solve", file("grid.mtx")} + arguments);
  };
  expect_refused(solve({"--device", "cuda:99"}), 1, "cuda:99");
  expect_refused(solve({"--device", "cuda:0,cuda:1,cuda:2"}), 1,
                 "names 3 GPUs, and there are 2 ranks on ");
  expect_refused(solve({"--device", "cuda:0", "-q", "--launch", "persistent"}), 1,
                 "launch mode persistent runs on one GPU; use graph on several ranks");
  expect_refused(solve({"--device", "cuda:0", "-q", "--exchange", "peer"}), 1,
                 "no rank has a whole vector to exchange");
}

TEST_F(SolveOnRanksOneGpu, NamesTheRankThatSeesNone) {
  const std::vector<std::string> solve{"solve",    file("tiny.mtx"), "--device", "cuda:0",
                                       "--solver", "bicgstab",       "-q"};
  expect_refused(unlike_ranks({}, {"env", "CUDA_VISIBLE_DEVICES="}, solve), 1, "rank 1: ");
}

/// By MPI that is given memory of GPUs, or a line that this one is not.
TEST_F(SolveOnRanksOneGpu, ExchangesInGpuMemoryOrSaysThatMpiDoesNot) {
  const std::vector<std::string> arguments{"solve",      file("tiny.mtx"), "--device", "cuda:0",
                                           "--exchange", "gpu-aware",      "--solver", "bicgstab",
                                           "--rtol",     "1e-6",           "--json",   "-q"};
  const ProgramRun run = ranks(2, arguments);
  if (run.exit_status != 0) {
    expect_refused(run, 1,
                   "this MPI does not take memory of GPUs (Open MPI built --with-cuda); use "
                   "exchange nccl or staged");
    return;
  }
  EXPECT_NE(run.output.find("2 ranks, exchange gpu-aware"), std::string::npos) << run.output;
  expect_refused(ranks(2, arguments + std::vector<std::string>{"--launch", "graph"}), 1,
                 "ranks exchange 'gpu-aware' in launch mode host");
}

class SolveOnRanksTwoGpus : public SolveOnRanks {
 protected:
  void SetUp() override {
    const GpuList gpus = gpus_of_tested_program();
    if (gpus.devices.size() < 2) GTEST_SKIP() << "needs 2 GPUs; there are " << gpus.devices.size();
    SolveOnRanks::SetUp();
  }
};

TEST_F(SolveOnRanksTwoGpus, IsAlikeByEverySolver) {
  for (const std::string& solver : shipped_names()) {
    SCOPED_TRACE(solver);
    const bool square = shipped_method(solver).needs == MatrixKind::square;
    const std::vector<std::string> arguments{"solve",    file(square ? "general.mtx" : "grid.mtx"),
                                             "--solver", solver,
                                             "--json",   "--max-iterations",
                                             "20000",    "-q",
                                             "--device", "cuda:0,cuda:1"};
    expect_alike(file("one.mtx"), file("all.mtx"), 2, arguments, 1e-5);
  }
}

/// Whatever MPI does with memory of GPUs, it is the same as through that of hosts, to the last bit.
TEST_F(SolveOnRanksTwoGpus, ExchangeInGpuMemoryWhatTheyExchangeThroughHosts) {
  const auto solve = [&](const std::string& name, const std::string& solver,
                         const std::string& exchange) {
    return ranks(2, {"solve", file(name), "--device", "cuda:0,cuda:1", "--exchange", exchange,
                     "--solver", solver, "--max-iterations", "20000", "-q", "--out",
                     file(exchange + "-" + solver + ".mtx")});
  };
  for (const std::string& solver : shipped_names()) {
    SCOPED_TRACE(solver);
    const bool square = shipped_method(solver).needs == MatrixKind::square;
    const std::string name = square ? "general.mtx" : "grid.mtx";
    const ProgramRun aware = solve(name, solver, "gpu-aware");
    if (aware.errors.find("does not take memory of GPUs") != std::string::npos) {
      GTEST_SKIP() << aware.errors;
    }
    ASSERT_EQ(aware.exit_status, 0) << aware.errors;
    ASSERT_EQ(solve(name, solver, "staged").exit_status, 0);
    EXPECT_EQ(values_of(file("gpu-aware-" + solver + ".mtx")),
              values_of(file("staged-" + solver + ".mtx")));
  }
}

TEST_F(SolveOnRanksTwoGpus, SaysHowTheyExchange) {
  for (const auto& [exchange, said] :
       {std::pair{"halo", "2 ranks, exchange halo"}, std::pair{"nccl", "2 ranks, exchange nccl"},
        std::pair{"staged", "2 ranks, exchange staged"}}) {
    const ProgramRun run = ranks(2, {"solve", file("grid.mtx"), "--device", "cuda:0,cuda:1",
                                     "--exchange", exchange, "--launch", "auto"});
    const bool no_nccl = run.errors.find("libnccl.so") != std::string::npos;
    if (std::string(exchange) == "nccl" && no_nccl) continue;
    EXPECT_EQ(run.exit_status, 0) << run.errors;
    EXPECT_EQ(run.errors, "");
    EXPECT_NE(run.output.find(said), std::string::npos) << run.output;
  }
}

TEST_F(SolveOnRanks, MeasureIterationsTogether) {
  const std::vector<std::string> bench{"bench",     "cg", file("grid.mtx"), "--layout", "csr,bcsr2",
                                       "--threads", "1",  "--json"};
  const ProgramRun alone = run_program(bench);
  ASSERT_EQ(alone.exit_status, 0) << alone.errors;
  const ProgramRun together = ranks(2, bench + std::vector<std::string>{"--csv", file("b.csv")});
  ASSERT_EQ(together.exit_status, 0) << together.errors;
  EXPECT_EQ(together.errors, "");
  const auto one = nlohmann::json::parse(alone.output);
  const auto all = nlohmann::json::parse(together.output);
  EXPECT_EQ(one["devices"], 1);
  EXPECT_EQ(all["devices"], 2);
  EXPECT_NE(all["device"].get<std::string>().find("2 ranks of 1 thread"), std::string::npos);
  ASSERT_EQ(all["measurements"].size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    for (const char* same : {"matrix", "layout", "precision", "nonzeros", "stored_elements"}) {
      EXPECT_EQ(all["measurements"][i][same], one["measurements"][i][same]) << same;
    }
    EXPECT_GT(all["measurements"][i]["seconds"], 0);
    EXPECT_GT(all["measurements"][i]["bytes"], 0);
  }
  EXPECT_EQ(std::ranges::count(read_file(file("b.csv")), '\n'), 3);
}

TEST_F(SolveOnRanks, MeasureASolverOfAFileInAllLayoutsThatFit) {
  const ProgramRun run = ranks(
      2, {"bench", "cg", file("general.mtx"), "--schedule",
          SPARSECAST_SOURCE_DIR "/schedules/bicgstab.json", "--threads", "1", "--json", "-q"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const auto all = nlohmann::json::parse(run.output);
  EXPECT_GT(all["measurements"].size(), 2u);
  EXPECT_EQ(all["measurements"][0]["nonzeros"],
            read_matrix_market(file("general.mtx")).matrix.nonzeros());
}

TEST_F(SolveOnRanks, RefuseToMeasureWhatIsOfOneProcess) {
  expect_refused(ranks(2, {"bench", "spmv", file("grid.mtx")}), 2, "bench spmv is for one process");
  expect_refused(ranks(2, {"bench", "fusion"}), 2, "bench fusion is for one process");
  expect_refused(ranks(2, {"bench", "cg", file("grid.mtx"), "--device", "cpu:0,cpu:1"}), 2,
                 "--device cpu:0,cpu:1");
  expect_refused(ranks(2, {"bench", "cg", file("none.mtx")}), 1, "none.mtx: ");
  const std::vector<std::string> validate{"validate", file("grid.mtx"), "--profile", "nvidia-h200"};
  expect_refused(ranks(2, validate), 2, "add --network NAME");
  expect_refused(ranks(2, validate + std::vector<std::string>{"--network", "ndr400"}), 2,
                 "profile nvidia-h200 describes NVIDIA H200, a GPU");
  expect_refused(
      ranks(2, validate + std::vector<std::string>{"--device", "cuda:0,cuda:1", "--devices", "2"}),
      2, "--devices is for one process");
  expect_refused(ranks(2, validate + std::vector<std::string>{"--device", "cuda:0,cuda:1",
                                                              "--exchange", "nccl"}),
                 2, "--exchange nccl: what that costs is a network's; add --network NAME");
  const std::vector<std::string> joined{"--device", "cuda:0,cuda:1", "--network", "ndr400",
                                        "--exchange"};
  expect_refused(ranks(2, validate + joined + std::vector<std::string>{"halo"}), 2,
                 "--exchange halo: is forecast by the profile's links; leave out --network");
  expect_refused(ranks(2, validate + joined + std::vector<std::string>{"peer"}), 2,
                 "--exchange peer: of ranks it is halo, nccl, staged or gpu-aware");
}

/// Forecasts of as many threads as two ranks have each, and a network of their host: made up, but
/// of the field's order of magnitude.
class ValidateOnRanks : public SolveOnRanks {
 protected:
  void SetUp() override {
    SolveOnRanks::SetUp();
    if (IsSkipped()) return;
    auto profile = nlohmann::json::parse(
        read_file(SPARSECAST_SOURCE_DIR "/profiles/amd-epyc-zen4-2cores.json"));
    profile["traffic"]["cpu"]["threads"] = std::max(1, allowed_threads() / 2);
    std::ofstream(file("half.json")) << profile.dump();
    Network network;
    network.name = "host";
    network.ranks_per_host = 7;  // not what is here
    TransportCosts& costs = network.transports[Transport::mpi];
    costs.fixed_seconds.value = 1e-6;
    costs.links[LinkClass::same_host] = {{2e-6, 0}, {5, 0}};
    costs.sum.doubling_seconds[LinkClass::same_host] = {3e-6, 0};
    write_network(file("host.network.json"), network);
  }
  std::vector<std::string> validate() const {
    return {"validate",  file("grid.mtx"),          "--profile", file("half.json"),
            "--network", file("host.network.json"), "-q"};
  }
};

TEST_F(ValidateOnRanks, SetsMeasuredBesidePredictedOnCpus) {
  const std::string raw = file("raw.csv");
  const ProgramRun run =
      ranks(2, validate() + std::vector<std::string>{"--layout", "csr,bcsr2", "--precision",
                                                     "f32,f64", "--seconds-per-case", "0.01",
                                                     "--csv", raw, "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const auto all = nlohmann::json::parse(run.output);
  EXPECT_EQ(all["about"]["ranks"], "2");
  EXPECT_EQ(all["about"]["ranks a host"], "2");
  EXPECT_EQ(all["about"]["network"], "host");
  ASSERT_EQ(all["rows"].size(), 8u);  // products alone have one rank
  for (const auto& row : all["rows"]) {
    EXPECT_EQ(row["devices"], 2);
    EXPECT_GT(row["measured_seconds"], 0);
    EXPECT_GT(row["predicted_seconds"], 0);
  }

  // Priced again, with the number of ranks on a host that the raw data has.
  const ProgramRun again = run_program({"validate", "--from", raw, "--profile", file("half.json"),
                                        "--network", file("host.network.json"), "--json", "-q"});
  ASSERT_EQ(again.exit_status, 0) << again.errors;
  EXPECT_EQ(nlohmann::json::parse(again.output)["rows"], all["rows"]);
  std::string damaged = read_file(raw);
  damaged.replace(damaged.find("ranks a host: 2"), 15, "ranks a host: 0");
  std::ofstream(file("damaged.csv")) << damaged;
  expect_refused(run_program({"validate", "--from", file("damaged.csv"), "--profile",
                              file("half.json"), "--network", file("host.network.json"), "-q"}),
                 1, "damaged.csv: ranks a host: 0; expected a positive number");
}

TEST_F(ValidateOnRanks, RefusesWhatHasNoForecastsHere) {
  expect_refused(ranks(2, validate() + std::vector<std::string>{"--exchange", "nccl"}), 2,
                 "--exchange: of several GPUs; leave it out");
  expect_refused(run_program(validate()), 2, "--network: joins ranks; run this under mpirun");
  expect_refused(ranks(2, {"validate", file("grid.mtx"), "--profile", file("half.json"),
                           "--network", "ndr400"}),
                 2, "--network ndr400: does not know mpi, by which these ranks exchange");
  expect_refused(ranks(2, validate() + std::vector<std::string>{"--model", "paper"}), 2,
                 "--network: of the traffic model");
  auto profile = nlohmann::json::parse(read_file(file("half.json")));
  profile["traffic"]["cpu"]["threads"] = 100;
  std::ofstream(file("half.json")) << profile.dump();
  expect_refused(ranks(2, validate()), 2, "profile half is of 100 threads, and a rank has ");
}

TEST_F(SolveOnRanksTwoGpus, MeasureIterationsTogether) {
  const ProgramRun run = ranks(2, {"bench", "cg", file("grid.mtx"), "--device", "cuda:0,cuda:1",
                                   "--layout", "csr", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const auto all = nlohmann::json::parse(run.output);
  EXPECT_EQ(all["devices"], 2);
  EXPECT_NE(all["device"].get<std::string>().find("2 ranks, exchange "), std::string::npos);
  EXPECT_EQ(all["measurements"][0]["stored_elements"], all["measurements"][0]["nonzeros"]);
}

TEST_F(SolveOnRanksTwoGpus, SetMeasuredBesidePredicted) {
  const ProgramRun run =
      ranks(2, {"validate", file("grid.mtx"), file("general.mtx"), "--profile", "nvidia-h200",
                "--device", "cuda:0,cuda:1", "--layout", "csr,bcsr2", "--schedule", "fused",
                "--precision", "f32,f64", "--csv", file("raw.csv"), "--json", "-q"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  const auto all = nlohmann::json::parse(run.output);
  ASSERT_EQ(all["rows"].size(), 8u);
  for (const auto& row : all["rows"]) {
    EXPECT_EQ(row["devices"], 2);
    EXPECT_EQ(row["launch"], "graph");
    EXPECT_GT(row["measured_seconds"], 0);
    EXPECT_GT(row["predicted_seconds"], 0);
  }
  EXPECT_NE(read_file(file("raw.csv")).find("halo"), std::string::npos);
}

TEST_F(SolveOnRanks, RefusesOtherCommandsInOneLine) {
  expect_refused(ranks(2, {"inspect", file("grid.mtx")}), 2, "for one process");
  expect_refused(ranks(2, {"nothing"}), 2, "no command 'nothing'");
}

TEST_F(SolveOnRanks, RefusesRanksThatWereStartedOtherwise) {
  const ProgramRun run = run_on_ranks(
      1, tested_program(),
      {"solve", file("grid.mtx"), ":", "-n", "1", tested_program(), "solve", file("general.mtx")});
  expect_refused(run, 2, "rank 1 was started with other arguments than rank 0");
}

#ifdef SPARSECAST_ANOTHER_VERSION
TEST_F(SolveOnRanks, RefusesARankOfAnotherVersion) {
  const ProgramRun run = run_on_ranks(1, tested_program(),
                                      {"solve", file("grid.mtx"), ":", "-n", "1",
                                       SPARSECAST_ANOTHER_VERSION, "solve", file("grid.mtx")});
  expect_refused(run, 1, "rank 1 is another program than rank 0: sparsecast 0.0.1 (another);");
}
#endif

/// What starts a program with so much memory.
std::vector<std::string> with_memory(const std::string& kilobytes) {
  return {"bash", "-c", "ulimit -v " + kilobytes + "; exec \"$@\"", "bash"};
}

TEST_F(SolveOnRanks, NamesTheRankWithAnotherFileOrNone) {
  for (const char* folder : {"other", "empty"}) std::filesystem::create_directory(file(folder));
  write_matrix_market(file("other/grid.mtx"), laplacian(5, 30, 40).view(), {.symmetric = true});
  const auto solve = [&](const std::string& folder) {
    return unlike_ranks({"env", "-C", file("")}, {"env", "-C", file(folder)},
                        {"solve", "grid.mtx", "--out", file("x.mtx")});
  };
  expect_refused(solve("other"), 1, "rank 1: grid.mtx is another file than on rank 0");
  expect_refused(solve("empty"), 1, "rank 1: grid.mtx: ");
  EXPECT_FALSE(std::filesystem::exists(file("x.mtx")));
}

TEST_F(SolveOnRanks, NamesTheRankThatHasNoMemory) {
  const std::vector<std::string> little = with_memory("400000");
  if (unlike_ranks({}, little, {"solve", file("general.mtx"), "--solver", "gmres"}).exit_status !=
      0) {
    GTEST_SKIP() << "400 MB are too few here for MPI";
  }
  // Of a basis of 120 vectors each rank has half: 480 MB.
  write_file(file("rows.mtx"),
             "%%MatrixMarket matrix coordinate real general\n1000000 1000000 2\n1 1 1\n"
             "1000000 1000000 1\n");
  const ProgramRun run = unlike_ranks({}, little,
                                      {"solve", file("rows.mtx"), "--solver", "gmres", "--restart",
                                       "120", "--threads", "1", "--out", file("x.mtx")});
  expect_refused(run, 1, "rank 1: out of memory");
  EXPECT_FALSE(std::filesystem::exists(file("x.mtx")));
}

TEST_F(SolveOnRanks, SaysWhenItDoesNotConvergeAndKeepsWhatThereIs) {
  const ProgramRun run =
      ranks(2, {"solve", file("grid.mtx"), "--max-iterations", "3", "--out", file("x.mtx")});
  EXPECT_EQ(run.exit_status, 1);
  const std::vector<std::string> lines = own_lines(run.errors);
  ASSERT_EQ(lines.size(), 1u) << run.errors;
  EXPECT_NE(lines[0].find("x so far is in"), std::string::npos) << lines[0];
  EXPECT_EQ(values_of(file("x.mtx")).size(), 1200u);
}

/// The processes that a process has started.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  const std::string path = "/proc/" + std::to_string(parent);
  std::ifstream in(path + "/task/" + std::to_string(parent) + "/children");
  for (pid_t child = 0; in >> child;) children.push_back(child);
  return children;
}

TEST_F(SolveOnRanks, LeavesNothingBehindWhenOneIsKilled) {
  write_file(file("x.mtx"), "an older solution\n");
  std::vector<pid_t> processes;
  const ProgramRun run =
      ranks(2,
            {"solve", file("grid.mtx"), "--iterations", "100000000", "--out", file("x.mtx"),
             "--threads", "1"},
            [&](pid_t launcher) {
              for (int tries = 0; tries < 1000 && processes.size() < 2; ++tries) {
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                processes = children_of(launcher);
              }
              std::this_thread::sleep_for(std::chrono::milliseconds(700));
              if (!processes.empty()) kill(processes.back(), SIGKILL);
            });
  EXPECT_EQ(processes.size(), 2u);
  EXPECT_NE(run.exit_status, 0);
  for (const pid_t process : processes) {
    const std::string entry = "/proc/" + std::to_string(process);
    for (int tries = 0; tries < 1000 && std::filesystem::exists(entry); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_FALSE(std::filesystem::exists(entry));
  }
  EXPECT_EQ(read_file(file("x.mtx")), "an older solution\n");
  const std::filesystem::path folder = std::filesystem::path(file("x.mtx")).parent_path();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 3);
}

}  // namespace
}  // namespace sparsecast::testing
