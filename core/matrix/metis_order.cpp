#include "core/matrix/metis_order.hpp"

#include <metis.h>

#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/node_graph.hpp"

namespace sparsecast {
namespace {

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
  run_metis(graph, [&] {
    return METIS_PartGraphKway(&nodes, &constraints, graph.offsets.data(), graph.neighbours.data(),
                               graph.weights.data(), graph.rows.data(), nullptr, &part_count,
                               nullptr, nullptr, options.data(), &volume, part_of.data());
  });
  return part_of;
}

}  // namespace

Permutation metis_order(const CsrView<double>& matrix, int parts) {
  require_square(matrix);
  if (parts < 1) {
    throw Error("METIS: " + std::to_string(parts) + " parts; expected a positive number");
  }
  Permutation order = identity_permutation(matrix.rows);
  if (parts == 1) return order;
  NodeGraph graph = node_graph(matrix);
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
