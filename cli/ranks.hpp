#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/engine/device_list.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/mpi/launched_process.hpp"
#include "core/mpi/mpi_ranks.hpp"

/// @file
/// The program as one of several processes that a launcher (mpirun) has started: ranks. Rank 0
/// alone prints; the others' output goes nowhere.

namespace sparsecast::cli {

/// The ranks that run the command together; nullptr where this process is alone.
Communicator* ranks();

/// Processes among them that may run on this one's cores, itself counted; 1 where it is alone. All
/// ranks call it.
int ranks_sharing_cores();

/// The GPU of this rank in --device, a list of the GPUs of a host: of ranks on one host the first
/// one has the first, and so on; of a single one in the list each rank has that of its own list, as
/// launchers that show each rank its own GPU have it. Warns where two ranks have the same. Throws
/// `Error`, the same on all ranks, unless the list has one GPU or as many as there are ranks on
/// each host. All ranks call it.
GpuPart gpu_of_this_rank(std::string_view list);

/// Runs the program, by `run`, as one of the ranks, and returns how all of them end: the line, for
/// standard error, is empty but on rank 0. `speaker`: what such a line begins with ("sparsecast
/// solve"). Ranks of another version, or with other arguments, than rank 0 end all of them.
RankEnd run_among_ranks(const LaunchedProcess& process, std::span<const std::string> arguments,
                        const std::string& speaker, const std::function<RankEnd()>& run);

}  // namespace sparsecast::cli
