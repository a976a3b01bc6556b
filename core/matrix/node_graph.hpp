#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/matrix/csr.hpp"

/// @file
/// What METIS works on, in its numbers of 32 bits.

namespace sparsecast {

/// The graph of a symmetric pattern, consecutive rows with the same columns made one node, whose
/// weight is their nonzeros.
struct NodeGraph {
  std::vector<std::int32_t> node_of;  ///< per row
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> neighbours;
  std::vector<std::int32_t> weights;
  std::vector<std::int32_t> rows;  ///< of a node
};

/// That of the symmetrised pattern of a square matrix, whose values are not read. Throws `Error`
/// for a matrix that is not square, and, with what to use instead, for more than 2^31 - 1 entries
/// of the symmetrised pattern.
NodeGraph node_graph(const CsrView<double>& matrix, std::string_view instead = "rcm");

/// Calls METIS on the graph, for one caller after the other: its random numbers have one state in a
/// process, so that results would depend on who else calls. Throws `Error` that says what it
/// returned, and what to use instead, unless it was METIS_OK.
void run_metis(const NodeGraph& graph, const std::function<int()>& call,
               std::string_view instead = "rcm");

}  // namespace sparsecast
