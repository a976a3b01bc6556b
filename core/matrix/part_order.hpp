#pragma once

#include <cstdint>
#include <span>

#include "core/matrix/node_graph.hpp"
#include "core/matrix/renumber.hpp"

namespace sparsecast {

/// The order in which the rows of each part of a graph follow each other, of so many parts; in a
/// part, rows without an entry in another part come first, so that they fill whole groups, and both
/// kinds keep the order of the matrix. `part_of` is of each node.
Permutation order_by_parts(const NodeGraph& graph, std::span<const std::int32_t> part_of,
                           int parts);

}  // namespace sparsecast
