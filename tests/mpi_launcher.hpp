#pragma once

#include <string>
#include <vector>

#include "cli/run_program.hpp"

namespace sparsecast::testing {

#ifdef SPARSECAST_MPIRUN
inline constexpr const char* mpirun = SPARSECAST_MPIRUN;
#else
inline constexpr const char* mpirun = "";
#endif

/// Runs a program on so many ranks of this machine, whatever its number of cores, and whoever the
/// user is. mpirun's own messages are left out as far as it can.
inline ProgramRun run_on_ranks(int ranks, const std::string& program,
                               const std::vector<std::string>& arguments,
                               const std::function<void(pid_t)>& meanwhile = {}) {
  std::vector<std::string> all{"-q", "-n", std::to_string(ranks), program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run(mpirun, all,
             {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
              "OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_hwloc_base_binding_policy=none"},
             meanwhile);
}

/// Why nothing can be run on several ranks here; empty where it can.
inline std::string why_no_ranks() {
  if (*mpirun == '\0') return "this build has no MPI, or no mpirun";
  static const int status = run_on_ranks(2, "true", {}).exit_status;
  return status == 0 ? ""
                     : "mpirun starts no processes here: it ends with " + std::to_string(status);
}

}  // namespace sparsecast::testing
