#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/engine/ranks/whole_entry.hpp"

/// @file
/// What ranks cut a matrix by: the graph of its symmetrised pattern, of which each has a stretch.

namespace sparsecast {

/// A rank's stretch of a graph whose nodes are consecutive rows that stay together, counted over
/// all ranks in the order of the matrix.
struct RankGraph {
  RankRows nodes;                   ///< of all ranks
  Buffer<std::int64_t> first_rows;  ///< of each own node, and where the last one ends
  Buffer<std::int64_t> offsets;     ///< of each own node in `neighbours`, and the end
  Buffer<std::int64_t> neighbours;  ///< other nodes, which rise
  Buffer<std::int64_t> weights;     ///< entries of a node's rows, at least 1

  std::int64_t own_nodes() const { return std::ssize(weights); }
  std::span<const std::int64_t> neighbours_of(std::int64_t own_node) const {
    return std::span(neighbours)
        .subspan(static_cast<std::size_t>(offsets[own_node]),
                 static_cast<std::size_t>(offsets[own_node + 1] - offsets[own_node]));
  }
};

/// Cuts a graph into as many parts of similar weight as there are ranks, between which few edges
/// run: the part of each own node. All ranks call it; `Error` is thrown on all of them.
using GraphCut = std::function<std::vector<int>(const RankGraph&)>;

/// The graph of the symmetrised pattern of a matrix. Nodes are blocks of `rows_together` rows, of
/// which the ranks' begins are multiples; consecutive blocks of a rank whose rows have entries in
/// the same blocks are one node. `entries`: those of this rank's rows, in any order. All ranks call
/// it.
RankGraph rank_graph(Communicator& ranks, const RankRows& rows,
                     std::span<const Buffer<WholeEntry>> entries, int rows_together);

}  // namespace sparsecast
