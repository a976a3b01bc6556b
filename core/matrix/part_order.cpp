#include "core/matrix/part_order.hpp"

#include <numeric>
#include <vector>

namespace sparsecast {

Permutation order_by_parts(const NodeGraph& graph, std::span<const std::int32_t> part_of,
                           int parts) {
  const auto rows = static_cast<std::int64_t>(graph.node_of.size());
  const auto place = [&](std::int64_t row) {
    const std::int32_t node = graph.node_of[row];
    const std::int32_t part = part_of[node];
    bool interior = true;
    for (std::int32_t k = graph.offsets[node]; interior && k < graph.offsets[node + 1]; ++k) {
      interior = part_of[graph.neighbours[k]] == part;
    }
    return 2 * std::int64_t{part} + !interior;
  };
  // Stable, by counting.
  std::vector<std::int64_t> places(rows);
  std::vector<std::int64_t> next(2 * static_cast<std::size_t>(parts) + 1, 0);
  for (std::int64_t row = 0; row < rows; ++row) {
    places[row] = place(row);
    ++next[places[row] + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  Permutation order(rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    order[next[places[row]]++] = static_cast<std::int32_t>(row);
  }
  return order;
}

}  // namespace sparsecast
