#include "core/matrix/application_orders.hpp"

#include <metis.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/matrix/node_graph.hpp"

namespace sparsecast {

Permutation nested_dissection(const CsrView<double>& matrix) {
  NodeGraph graph = node_graph(matrix);
  auto nodes = static_cast<idx_t>(graph.rows.size());
  std::vector<idx_t> node_at(graph.rows.size());
  std::vector<idx_t> place_of(graph.rows.size());
  // METIS divides by the number of edges.
  if (graph.neighbours.empty()) {
    std::iota(node_at.begin(), node_at.end(), 0);
  } else {
    std::vector<idx_t> options(METIS_NOPTIONS);
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_SEED] = 1;
    run_metis(graph, [&] {
      return METIS_NodeND(&nodes, graph.offsets.data(), graph.neighbours.data(), graph.rows.data(),
                          options.data(), node_at.data(), place_of.data());
    });
  }
  std::vector<std::int32_t> first_row(graph.rows.size() + 1, 0);
  std::partial_sum(graph.rows.begin(), graph.rows.end(), first_row.begin() + 1);
  Permutation order;
  order.reserve(graph.node_of.size());
  for (const idx_t node : node_at) {
    for (std::int32_t row = first_row[node]; row < first_row[node + 1]; ++row) {
      order.push_back(row);
    }
  }
  return order;
}

Permutation hubs_first(const CsrView<double>& matrix) {
  require_square(matrix);
  Permutation order = identity_permutation(matrix.rows);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::int32_t row) {
    return matrix.row_offsets[row + 1] - matrix.row_offsets[row];
  });
  return order;
}

}  // namespace sparsecast
