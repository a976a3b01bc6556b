#include "core/matrix/metis_order.hpp"

#include <metis.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/symmetrize.hpp"

namespace sparsecast {
namespace {

static_assert(std::is_same_v<idx_t, std::int32_t>, "METIS with 32-bit numbers is expected");

/// The graph of a symmetric pattern, consecutive rows with the same columns made one node, whose
/// weight is their nonzeros.
struct NodeGraph {
  std::vector<std::int32_t> node_of;  ///< per row
  std::vector<idx_t> offsets{0};
  std::vector<idx_t> neighbours;
  std::vector<idx_t> weights;
  std::vector<idx_t> rows;  ///< of a node
};

NodeGraph compress(const CsrPattern& pattern) {
  const auto rows = static_cast<std::int64_t>(pattern.row_offsets.size()) - 1;
  const auto columns = [&](std::int64_t row) {
    return std::span<const std::int32_t>(pattern.column_indices)
        .subspan(pattern.row_offsets[row], pattern.row_offsets[row + 1] - pattern.row_offsets[row]);
  };
  NodeGraph graph;
  graph.node_of.resize(rows);
  std::vector<std::int64_t> first_row;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (row == 0 || !std::ranges::equal(columns(row), columns(row - 1))) first_row.push_back(row);
    graph.node_of[row] = static_cast<std::int32_t>(first_row.size()) - 1;
  }
  const auto nodes = static_cast<std::int32_t>(first_row.size());
  first_row.push_back(rows);
  for (std::int32_t node = 0; node < nodes; ++node) {
    const std::int64_t row = first_row[node];
    // The rows of a node are consecutive, so its neighbours rise like the columns.
    std::int32_t last = -1;
    for (const std::int32_t column : columns(row)) {
      const std::int32_t neighbour = graph.node_of[column];
      if (neighbour != node && neighbour != last) graph.neighbours.push_back(neighbour);
      last = neighbour;
    }
    graph.offsets.push_back(static_cast<idx_t>(graph.neighbours.size()));
    const std::int64_t rows_of_node = first_row[node + 1] - row;
    graph.rows.push_back(static_cast<idx_t>(rows_of_node));
    graph.weights.push_back(
        static_cast<idx_t>(rows_of_node * static_cast<std::int64_t>(columns(row).size())));
  }
  return graph;
}

/// The part of each node.
std::vector<idx_t> cut(NodeGraph& graph, int parts) {
  auto nodes = static_cast<idx_t>(graph.weights.size());
  idx_t constraints = 1;
  auto part_count = static_cast<idx_t>(parts);
  idx_t volume = 0;
  std::vector<idx_t> options(METIS_NOPTIONS);
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_VOL;  // what halos hold, in rows
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_UFACTOR] = 1;  // a part exceeds its share by a thousandth
  std::vector<idx_t> part_of(graph.weights.size());
  const int status =
      METIS_PartGraphKway(&nodes, &constraints, graph.offsets.data(), graph.neighbours.data(),
                          graph.weights.data(), graph.rows.data(), nullptr, &part_count, nullptr,
                          nullptr, options.data(), &volume, part_of.data());
  if (status == METIS_ERROR_MEMORY) {
    throw Error("METIS: not enough memory for " + std::to_string(graph.neighbours.size()) +
                " neighbours of " + std::to_string(nodes) + " nodes; use rcm");
  }
  if (status != METIS_OK) {
    throw Error("METIS: error " + std::to_string(status) + " on " + std::to_string(nodes) +
                " nodes; use rcm");
  }
  return part_of;
}

}  // namespace

Permutation metis_order(const CsrView<double>& matrix, int parts) {
  if (matrix.rows != matrix.columns) {
    throw Error("cannot renumber a matrix of " + std::to_string(matrix.rows) + " x " +
                std::to_string(matrix.columns) + ": expected a square one");
  }
  if (parts < 1) {
    throw Error("METIS: " + std::to_string(parts) + " parts; expected a positive number");
  }
  Permutation order(matrix.rows);
  std::iota(order.begin(), order.end(), 0);
  if (parts == 1) return order;
  const CsrPattern pattern = symmetrize_pattern(matrix);
  constexpr std::int64_t most = std::numeric_limits<idx_t>::max();
  const auto entries = static_cast<std::int64_t>(pattern.column_indices.size());
  if (entries > most) {
    throw Error("METIS takes at most " + std::to_string(most) + " entries, this matrix has " +
                std::to_string(entries) + " with its transpose's; use rcm");
  }
  NodeGraph graph = compress(pattern);
  if (static_cast<std::int64_t>(graph.weights.size()) <= parts) return order;
  const std::vector<idx_t> part_of = cut(graph, parts);

  const auto place = [&](std::int32_t row) {
    const std::int32_t node = graph.node_of[row];
    const idx_t part = part_of[node];
    bool interior = true;
    for (idx_t k = graph.offsets[node]; interior && k < graph.offsets[node + 1]; ++k) {
      interior = part_of[graph.neighbours[k]] == part;
    }
    return 2 * std::int64_t{part} + !interior;
  };
  // Stable, by counting.
  std::vector<std::int64_t> places(matrix.rows);
  std::vector<std::int64_t> next(2 * static_cast<std::size_t>(parts) + 1, 0);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    places[row] = place(static_cast<std::int32_t>(row));
    ++next[places[row] + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    order[next[places[row]]++] = static_cast<std::int32_t>(row);
  }
  return order;
}

}  // namespace sparsecast
