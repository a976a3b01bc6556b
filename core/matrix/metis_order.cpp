#include "core/matrix/metis_order.hpp"

#include <metis.h>

#include <iterator>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/node_graph.hpp"
#include "core/matrix/part_order.hpp"

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
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_UFACTOR] = 1;  // a part exceeds its share by a thousandth
  std::vector<idx_t> part_of(graph.weights.size());
  // Small parts of nearly equal size are left ragged by the k-way cut, and take it longer.
  constexpr int most_at_once = 64;
  if (parts > most_at_once) {
    run_metis(graph, [&] {
      return METIS_PartGraphRecursive(
          &nodes, &constraints, graph.offsets.data(), graph.neighbours.data(), graph.weights.data(),
          nullptr, nullptr, &part_count, nullptr, nullptr, options.data(), &volume, part_of.data());
    });
    return part_of;
  }
  options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_VOL;  // what halos hold, in rows
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
  if (parts == 1) return identity_permutation(matrix.rows);
  NodeGraph graph = node_graph(matrix);
  if (std::ssize(graph.weights) <= parts) return identity_permutation(matrix.rows);
  return order_by_parts(graph, cut(graph, parts), parts);
}

}  // namespace sparsecast
