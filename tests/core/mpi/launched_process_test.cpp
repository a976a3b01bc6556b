#include "core/mpi/launched_process.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <initializer_list>
#include <map>
#include <string>

namespace sparsecast {
namespace {

/// What is said where these variables, and no others of a launcher, are set.
LaunchedProcess launched_with(const std::map<std::string, const char*>& variables) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE",
                           "PMIX_RANK", "SLURM_STEP_NUM_TASKS"}) {
    const auto found = variables.find(name);
    if (found != variables.end()) {
      setenv(name, found->second, 1);
    } else {
      unsetenv(name);
    }
  }
  return launched_process();
}

TEST(LaunchedProcess, IsAloneWithoutALauncher) {
  EXPECT_EQ(launched_with({}).size, 1);
  EXPECT_EQ(launched_with({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}).size, 1);
  EXPECT_EQ(launched_with({{"SLURM_STEP_NUM_TASKS", "4"}}).size, 1);
  EXPECT_EQ(launched_with({{"PMI_RANK", "x"}, {"PMI_SIZE", "4"}}).size, 1);
}

TEST(LaunchedProcess, KnowsTheVariablesOfLaunchers) {
  for (const auto& [rank, size] : {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                                   {"PMI_RANK", "PMI_SIZE"},
                                   {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}}) {
    const LaunchedProcess process = launched_with({{rank, "3"}, {size, "8"}});
    EXPECT_EQ(process.rank, 3);
    EXPECT_EQ(process.size, 8);
  }
  launched_with({});
}

}  // namespace
}  // namespace sparsecast
