#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/rank_graph.hpp"
#include "core/mpi/launched_process.hpp"
#include "core/mpi/mpi_ranks.hpp"

/// @file
/// The program as one of several processes that a launcher (mpirun) has started: ranks. Rank 0
/// alone prints; the others' output goes nowhere.

namespace sparsecast::cli {

/// The ranks that run the command together; nullptr where this process is alone.
Communicator* ranks();

/// The MPI that joins them ("Open MPI v4.1.4"); empty where this process is alone.
std::string mpi_library();

/// What --renumber calls the order in which ranks have parts that PT-Scotch has found.
inline constexpr const char* ptscotch_order = "ptscotch";

/// `ProcessRanks::graph_cut` of the ranks, of which this process is one.
GraphCut graph_cut_of_ranks();

/// The hosts of all ranks, by their names. All of them call it.
std::vector<std::string> hosts_of_ranks(Communicator& all);

/// Runs the program, by `run`, as one of the ranks, and returns how all of them end: the line, for
/// standard error, is empty but on rank 0. Ranks share the threads of their cores. `speaker`: what
/// such a line begins with ("sparsecast solve"). Ranks of another version, or with other arguments,
/// than rank 0 end all of them.
RankEnd run_among_ranks(const LaunchedProcess& process, std::span<const std::string> arguments,
                        const std::string& speaker, const std::function<RankEnd()>& run);

}  // namespace sparsecast::cli
