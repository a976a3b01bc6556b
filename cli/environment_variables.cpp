#include "cli/environment_variables.hpp"

#include <array>

namespace sparsecast::cli {

std::span<const EnvironmentVariable> environment_variables() {
  static constexpr std::array all{
      EnvironmentVariable{"SPARSECAST_PROFILES",
                          "a folder in which profiles are looked up by name before those that come "
                          "with the program"},
      EnvironmentVariable{"CUDA_VISIBLE_DEVICES",
                          "which GPUs there are, and in which order cuda:0, cuda:1, ... name them"},
      EnvironmentVariable{"XDG_CACHE_HOME",
                          "where sparsecast/ keeps kernels that were compiled for a GPU; unless "
                          "set, .cache in HOME"},
      EnvironmentVariable{"HOME", "the user's folder, for that of XDG_CACHE_HOME"},
      EnvironmentVariable{"OMPI_COMM_WORLD_SIZE",
                          "what mpirun sets: solve, bench cg and validate run on so many processes "
                          "together (likewise PMI_SIZE, and SLURM_STEP_NUM_TASKS with PMIX_RANK)"},
  };
  return all;
}

}  // namespace sparsecast::cli
