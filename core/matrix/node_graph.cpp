#include "core/matrix/node_graph.hpp"

#include <metis.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/renumber.hpp"
#include "core/matrix/symmetrize.hpp"

namespace sparsecast {
namespace {

static_assert(std::is_same_v<idx_t, std::int32_t>, "METIS with 32-bit numbers is expected");

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

}  // namespace

NodeGraph node_graph(const CsrView<double>& matrix, std::string_view instead) {
  require_square(matrix);
  const CsrPattern pattern = symmetrize_pattern(matrix);
  constexpr std::int64_t most = std::numeric_limits<idx_t>::max();
  const auto entries = static_cast<std::int64_t>(pattern.column_indices.size());
  if (entries > most) {
    throw Error("METIS takes at most " + std::to_string(most) + " entries, this matrix has " +
                std::to_string(entries) + " with its transpose's; use " + std::string(instead));
  }
  return compress(pattern);
}

void run_metis(const NodeGraph& graph, const std::function<int()>& call, std::string_view instead) {
  static std::mutex one_at_a_time;
  const int status = [&] {
    const std::scoped_lock lock(one_at_a_time);
    return call();
  }();
  if (status == METIS_ERROR_MEMORY) {
    throw Error("METIS: not enough memory for " + std::to_string(graph.neighbours.size()) +
                " neighbours of " + std::to_string(graph.weights.size()) + " nodes; use " +
                std::string(instead));
  }
  if (status != METIS_OK) {
    throw Error("METIS: error " + std::to_string(status) + " on " +
                std::to_string(graph.weights.size()) + " nodes; use " + std::string(instead));
  }
}

}  // namespace sparsecast
