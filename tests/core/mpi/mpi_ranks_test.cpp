#include "core/mpi/mpi_ranks.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>

#include "core/refusal.hpp"
#include "mpi_launcher.hpp"

namespace sparsecast::testing {
namespace {

/// Three ranks of which one, or all, fail.
class MpiRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_ranks(); !why.empty()) GTEST_SKIP() << why;
  }
};

ProgramRun fail_by(const std::string& how) {
#ifdef SPARSECAST_FAILING_RANKS
  return run_on_ranks(3, SPARSECAST_FAILING_RANKS, {how});
#else
  return {0, how, {}};
#endif
}

/// Ranks that cut a graph by PT-Scotch.
class MpiRanksWithPtScotch : public MpiRanks {
 protected:
  void SetUp() override {
#ifdef SPARSECAST_CUTTING_RANKS
    MpiRanks::SetUp();
#else
    GTEST_SKIP() << "this build has no PT-Scotch";
#endif
  }
  static ProgramRun run_to(const std::string& what, int count) {
#ifdef SPARSECAST_CUTTING_RANKS
    return run_on_ranks(count, SPARSECAST_CUTTING_RANKS, {what});
#else
    return {count, what, {}};
#endif
  }
};

/// The lines that the program itself has said.
std::vector<std::string> own_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("failing_ranks: ")) lines.push_back(line.substr(15));
  }
  return lines;
}

TEST_F(MpiRanks, EndTogether) {
  const ProgramRun run = fail_by("not");
  EXPECT_EQ(run.exit_status, 0) << run.errors;
  EXPECT_EQ(run.errors, "");
}

TEST_F(MpiRanks, KnowWhetherMessagesMayLieInGpuMemory) {
  const auto info = std::filesystem::path(mpirun).parent_path() / "ompi_info";
  if (!std::filesystem::exists(info)) GTEST_SKIP() << "no ompi_info beside mpirun";
  const std::string built = run(info.string(), {"--parsable", "--all"}).output;
  const std::string key = "mpi_built_with_cuda_support:value:";
  const std::size_t place = built.find(key);
  ASSERT_NE(place, std::string::npos);
  const std::size_t begin = place + key.size();
  const ProgramRun told = fail_by("tell-gpu-memory");
  EXPECT_EQ(told.exit_status, 0) << told.errors;
  EXPECT_EQ(told.output, built.substr(begin, built.find('\n', begin) - begin));
}

TEST_F(MpiRanks, SayOnceWhichOneThrewAndWhat) {
  for (const auto& [how, line] : {std::pair("throw", "rank 1: nothing works"),
                                  {"throw-0", "rank 0: nothing works"},
                                  {"all-throw", "nothing works"}}) {
    SCOPED_TRACE(how);
    const ProgramRun run = fail_by(how);
    EXPECT_EQ(run.exit_status, 1) << run.errors;
    EXPECT_EQ(own_lines(run.errors), std::vector<std::string>{line}) << run.errors;
  }
}

TEST_F(MpiRanks, EndWhenOneHangsAndNameIt) {
  for (const auto& [how, name] : {std::pair("hang", "rank 1 has not answered for 2 s"),
                                  {"hang-0", "rank 0 has not answered for 2 s"},
                                  {"hang-before", "MPI did not start on all ranks within 2 s"}}) {
    SCOPED_TRACE(how);
    const auto start = std::chrono::steady_clock::now();
    const ProgramRun run = fail_by(how);
    EXPECT_NE(run.exit_status, 0);
    const std::vector<std::string> lines = own_lines(run.errors);
    ASSERT_EQ(lines.size(), 1u) << run.errors;
    EXPECT_EQ(lines[0].substr(0, std::string_view(name).size()), name);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  }
}

TEST_F(MpiRanks, EndWhenOneDies) {
  for (const char* how : {"die", "die-0"}) {
    SCOPED_TRACE(how);
    const ProgramRun run = fail_by(how);
    EXPECT_NE(run.exit_status, 0);
    EXPECT_LE(own_lines(run.errors).size(), 1u) << run.errors;
  }
}

TEST_F(MpiRanksWithPtScotch, HaveSmallHalosAndEqualSharesAndTheSamePartsTwice) {
  for (const int count : {2, 3, 5}) {
    SCOPED_TRACE(count);
    const ProgramRun run = run_to("cut", count);
    ASSERT_EQ(run.exit_status, 0) << run.errors;
    EXPECT_EQ(run.errors, "");
    std::istringstream words(run.output);
    double given = 0;
    double halo = 0;
    double share = 0;
    ASSERT_TRUE(words >> given >> halo >> share) << run.output;
    EXPECT_GT(halo, 0);
    EXPECT_LT(halo, given / 8);
    EXPECT_LT(share, 1.05);
    EXPECT_EQ(run_to("cut", count).output, run.output);
  }
}

TEST_F(MpiRanksWithPtScotch, EndWhenOneHangsWhileTheyCut) {
  const ProgramRun run = run_to("hang", 3);
  EXPECT_NE(run.exit_status, 0);
  const std::string name =
      "cutting_ranks: PT-Scotch did not cut the matrix on all ranks within 2 s";
  const std::size_t place = run.errors.find(name);
  ASSERT_NE(place, std::string::npos) << run.errors;
  EXPECT_EQ(run.errors.find("cutting_ranks: ", place + 1), std::string::npos) << run.errors;
}

TEST(MpiRanksWithoutMpi, SaySo) {
  if (has_mpi()) GTEST_SKIP() << "this build has MPI";
  EXPECT_NE(refusal_of([] { open_mpi_ranks({}); }).find("built without MPI"), std::string::npos);
}

}  // namespace
}  // namespace sparsecast::testing
