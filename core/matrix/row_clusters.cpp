#include "core/matrix/row_clusters.hpp"

#include <metis.h>

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <deque>
#include <numeric>

#include "core/matrix/node_graph.hpp"

namespace sparsecast {
namespace {

/// The entries of a segment's rows in the same columns, both counted from its first row.
struct DiagonalPart {
  Buffer<std::int64_t> row_offsets;
  Buffer<std::int32_t> column_indices;

  DiagonalPart(const PatternView& matrix, const Segment& segment) {
    row_offsets.push_back(0);
    for (std::int64_t row = segment.begin_row; row < segment.end_row; ++row) {
      const std::int64_t end = matrix.row_offsets[row + 1];
      for (std::int64_t k = matrix.row_offsets[row]; k < end; ++k) {
        const std::int32_t column = matrix.column_indices[k];
        if (column < segment.begin_row || column >= segment.end_row) continue;
        column_indices.push_back(static_cast<std::int32_t>(column - segment.begin_row));
      }
      row_offsets.push_back(std::ssize(column_indices));
    }
  }
};

/// METIS's part of each row, of so many parts.
std::vector<idx_t> parts_of_rows(NodeGraph& graph, std::int64_t parts, std::string_view instead) {
  auto nodes = static_cast<idx_t>(graph.rows.size());
  idx_t constraints = 1;
  auto part_count = static_cast<idx_t>(parts);
  idx_t cut = 0;
  std::vector<idx_t> options(METIS_NOPTIONS);
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_CUT;
  options[METIS_OPTION_SEED] = 1;
  std::vector<idx_t> part_of_node(graph.rows.size());
  run_metis(
      graph,
      [&] {
        return METIS_PartGraphKway(&nodes, &constraints, graph.offsets.data(),
                                   graph.neighbours.data(), graph.rows.data(), nullptr, nullptr,
                                   &part_count, nullptr, nullptr, options.data(), &cut,
                                   part_of_node.data());
      },
      instead);
  std::vector<idx_t> part_of_row;
  part_of_row.reserve(graph.node_of.size());
  for (const std::int32_t node : graph.node_of) part_of_row.push_back(part_of_node[node]);
  return part_of_row;
}

/// Moves rows of parts with more than `most_rows` to the first parts with room; returns how many
/// each has.
std::vector<std::int64_t> bound_parts(std::vector<idx_t>& part_of, std::int64_t parts,
                                      std::int64_t most_rows) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(parts), 0);
  std::vector<std::size_t> homeless;
  for (std::size_t row = 0; row < part_of.size(); ++row) {
    if (rows[part_of[row]] < most_rows) {
      ++rows[part_of[row]];
    } else {
      homeless.push_back(row);
    }
  }
  idx_t roomy = 0;
  for (const std::size_t row : homeless) {
    while (rows[roomy] == most_rows) ++roomy;
    part_of[row] = roomy;
    ++rows[roomy];
  }
  return rows;
}

RowClusters of_parts(const std::vector<idx_t>& part_of, const std::vector<std::int64_t>& rows) {
  RowClusters clusters;
  std::vector<std::int64_t> next(rows.size(), 0);
  std::exclusive_scan(rows.begin(), rows.end(), next.begin(), std::int64_t{0});
  for (std::size_t part = 0; part < rows.size(); ++part) {
    // METIS leaves parts empty where nodes are few.
    if (rows[part] > 0) clusters.first.push_back(next[part] + rows[part]);
  }
  clusters.order.resize(part_of.size());
  for (std::size_t row = 0; row < part_of.size(); ++row) {
    clusters.order[next[part_of[row]]++] = static_cast<std::int32_t>(row);
  }
  return clusters;
}

/// The parts that so many rows are cut into.
std::int64_t parts_for(std::int64_t rows, std::int64_t most_rows) {
  if (rows <= most_rows) return 1;
  // METIS's parts have up to 3 % more rows than their share.
  const std::int64_t share = std::max<std::int64_t>(1, most_rows - (most_rows + 31) / 32);
  return (rows + share - 1) / share;
}

}  // namespace

RowClusters metis_clusters(const PatternView& matrix, const Segment& segment,
                           std::int64_t most_rows, std::string_view instead) {
  require_segment(segment, matrix.rows);
  const std::int64_t rows = segment.rows();
  const std::int64_t parts = parts_for(rows, most_rows);
  if (parts == 1 || matrix.rows != matrix.columns) {
    return consecutive_clusters(matrix, segment, most_rows);
  }
  const DiagonalPart part(matrix, segment);
  NodeGraph graph = node_graph({rows, rows, part.row_offsets, part.column_indices, {}}, instead);
  if (graph.neighbours.empty() || std::ssize(graph.rows) <= parts) {
    return consecutive_clusters(matrix, segment, most_rows);
  }
  std::vector<idx_t> part_of = parts_of_rows(graph, parts, instead);
  const std::vector<std::int64_t> rows_of_part = bound_parts(part_of, parts, most_rows);
  return of_parts(part_of, rows_of_part);
}

RowClusters consecutive_clusters(const PatternView& matrix, const Segment& segment,
                                 std::int64_t most_rows) {
  require_segment(segment, matrix.rows);
  const std::int64_t rows = segment.rows();
  // Entries with the row on one side of a row and the column on the other; first by how much they
  // are more than in front of the row before.
  std::vector<std::int64_t> across(static_cast<std::size_t>(rows) + 1, 0);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t row = segment.begin_row + i;
    const std::int64_t end = matrix.row_offsets[row + 1];
    for (std::int64_t k = matrix.row_offsets[row]; k < end; ++k) {
      const std::int64_t j = matrix.column_indices[k] - segment.begin_row;
      if (j < 0 || j >= rows || std::abs(i - j) >= most_rows) continue;
      const auto [low, high] = std::minmax(i, j);
      ++across[static_cast<std::size_t>(low) + 1];
      --across[static_cast<std::size_t>(high) + 1];
    }
  }
  std::partial_sum(across.begin(), across.end(), across.begin());
  // From the last row back: what is cut of the rows from each on, and in how many clusters they
  // are.
  struct Cut {
    std::int64_t entries = 0;
    std::int64_t clusters = 0;
    auto operator<=>(const Cut&) const = default;
  };
  std::vector<Cut> from(static_cast<std::size_t>(rows) + 1);
  std::vector<std::int64_t> end_of(static_cast<std::size_t>(rows) + 1, rows);
  std::deque<std::int64_t> ends;  // that a cluster may have, by rising cut: best first
  for (std::int64_t begin = rows - 1; begin >= 0; --begin) {
    while (!ends.empty() && from[ends.back()] > from[begin + 1]) ends.pop_back();
    ends.push_back(begin + 1);
    if (ends.front() > begin + most_rows) ends.pop_front();
    end_of[begin] = ends.front();
    const Cut& behind = from[ends.front()];
    from[begin] = {behind.entries + across[begin], behind.clusters + 1};
  }
  RowClusters clusters;
  clusters.order = identity_permutation(rows);
  for (std::int64_t begin = 0; begin < rows; begin = end_of[begin]) {
    clusters.first.push_back(end_of[begin]);
  }
  return clusters;
}

}  // namespace sparsecast
