#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "cli/run_program.hpp"
#include "sanitized.hpp"

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

/// What a rank says in the program of `memory_of_ranks.cpp`, in bytes.
struct RankMemory {
  double matrix = 0;
  double generating = 0;
  double share = 0;
  double peak = 0;
};

TEST(RankMemory, OfAGeneratedMatrixStaysNearItsShare) {
  if (sanitized) GTEST_SKIP() << "sanitizers use memory of their own";
  // Beside this program.
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "memory_of_ranks";
  const testing::ProgramRun run = testing::run(program.string(), {"60", "4"});
  ASSERT_EQ(run.exit_status, 0) << run.errors;
  std::istringstream lines(run.output);
  int ranks = 0;
  RankMemory rank;
  while (lines >> rank.matrix >> rank.generating >> rank.share >> rank.peak) {
    SCOPED_TRACE("rank of " + std::to_string(rank.matrix) + " bytes of matrix, " +
                 std::to_string(rank.generating) + " to generate them, " +
                 std::to_string(rank.share) + " to solve, at most " + std::to_string(rank.peak));
    ++ranks;
    EXPECT_GE(rank.generating, rank.matrix);
    EXPECT_LE(rank.generating, 1.15 * rank.matrix);
    EXPECT_GE(rank.share, rank.matrix);
    EXPECT_LE(rank.peak, 1.3 * rank.share);
  }
  EXPECT_EQ(ranks, 4);
}

}  // namespace
}  // namespace sparsecast
