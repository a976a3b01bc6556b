#pragma once

#include <cstdint>
#include <vector>

#include "core/engine/ranks/rank_graph.hpp"

/// @file
/// Cuts of a graph that are told from the rows of its nodes, for tests that need no good one.

namespace sparsecast {

/// A cut that gives each node the part that `part_of(first row, parts)` says.
template <class PartOf>
GraphCut cut_by_rows(PartOf part_of) {
  return [part_of](const RankGraph& graph) {
    const auto parts = static_cast<std::int64_t>(graph.nodes.begins.size()) - 1;
    std::vector<int> result;
    for (std::int64_t node = 0; node < graph.own_nodes(); ++node) {
      result.push_back(static_cast<int>(part_of(graph.first_rows[node], parts)));
    }
    return result;
  };
}

/// Nodes dealt out to the parts in turn, but for a few.
inline std::int64_t dealt_part(std::int64_t row, std::int64_t parts) {
  return (row + row / 11) % parts;
}

inline GraphCut dealing_cut() {
  return cut_by_rows(dealt_part);
}

}  // namespace sparsecast
