#pragma once

#include <vector>

#include "core/engine/ranks/rank_graph.hpp"

/// @file
/// PT-Scotch, which cuts a graph that no rank has as a whole (Chevalier and Pellegrini, Parallel
/// Computing 34, 2008).

namespace sparsecast {

/// Throws `Error` that says what to install where the program was built without PT-Scotch, or that
/// another one was loaded than it was built with.
void require_ptscotch();

/// Cuts a graph into `parts` parts whose weights exceed the mean by a hundredth: the part of each
/// own node, the same for as many ranks every time. All ranks of MPI call it, from the thread that
/// has started MPI and after `require_ptscotch`, and wait in it for each other without an end.
/// Throws `Error`, maybe on some of them alone, with what PT-Scotch said.
std::vector<int> cut_by_ptscotch(const RankGraph& graph, int parts);

}  // namespace sparsecast
