#pragma once

namespace sparsecast {

/// What the environment says of a process that a launcher of MPI programs has started.
struct LaunchedProcess {
  int rank = 0;
  int size = 1;  ///< 1 without a launcher
};

/// Reads the variables of Open MPI's and MPICH's launchers, of PMIx and of Slurm. Does not start
/// MPI: a program that runs alone need not wait for that.
LaunchedProcess launched_process();

}  // namespace sparsecast
