#include "core/matrix/cuthill_mckee.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/matrix/symmetrize.hpp"

namespace sparsecast {
namespace {

/// Breadth-first orders of a graph, given as a symmetric pattern.
class BreadthFirst {
 public:
  explicit BreadthFirst(const CsrPattern& graph)
      : graph_(graph), visit_(graph.row_offsets.size() - 1, 0) {}

  std::int64_t degree(std::int32_t node) const {
    return graph_.row_offsets[node + 1] - graph_.row_offsets[node];
  }

  /// A node of the component of `start` that is as far from another one as repeated searches find
  /// (George and Liu, An implementation of a pseudoperipheral node finder, 1979).
  std::int32_t pseudo_peripheral(std::int32_t start, std::vector<std::int32_t>& order) {
    std::int64_t depth = -1;
    while (true) {
      order.clear();
      const auto [new_depth, last_level] = search(start, order);
      if (new_depth <= depth) return start;
      depth = new_depth;
      start = *std::min_element(order.begin() + last_level, order.end(),
                                [&](std::int32_t a, std::int32_t b) {
                                  return std::pair(degree(a), a) < std::pair(degree(b), b);
                                });
    }
  }

  /// Appends the component of `start` in the order of Cuthill and McKee: level by level, neighbours
  /// by rising degree.
  void cuthill_mckee(std::int32_t start, std::vector<std::int32_t>& order) {
    ++round_;
    std::size_t next = order.size();
    order.push_back(start);
    visit_[start] = round_;
    for (; next < order.size(); ++next) {
      const auto first_new = static_cast<std::int64_t>(order.size());
      append_neighbours(order[next], order);
      std::sort(order.begin() + first_new, order.end(), [&](std::int32_t a, std::int32_t b) {
        return std::pair(degree(a), a) < std::pair(degree(b), b);
      });
    }
  }

 private:
  /// Appends the component of `start`, level by level. Returns the number of levels and where the
  /// last one begins.
  std::pair<std::int64_t, std::int64_t> search(std::int32_t start,
                                               std::vector<std::int32_t>& order) {
    ++round_;
    std::int64_t levels = 0;
    std::size_t level = order.size();
    order.push_back(start);
    visit_[start] = round_;
    while (true) {
      ++levels;
      const std::size_t level_end = order.size();
      for (std::size_t k = level; k < level_end; ++k) append_neighbours(order[k], order);
      if (order.size() == level_end) return {levels, static_cast<std::int64_t>(level)};
      level = level_end;
    }
  }

  void append_neighbours(std::int32_t node, std::vector<std::int32_t>& order) {
    for (std::int64_t k = graph_.row_offsets[node]; k < graph_.row_offsets[node + 1]; ++k) {
      const std::int32_t neighbour = graph_.column_indices[k];
      if (std::exchange(visit_[neighbour], round_) != round_) order.push_back(neighbour);
    }
  }

  const CsrPattern& graph_;
  std::int64_t round_ = 0;
  std::vector<std::int64_t> visit_;  ///< the last search that reached a node
};

}  // namespace

Permutation reverse_cuthill_mckee(const CsrView<double>& matrix) {
  require_square(matrix);
  const CsrPattern graph = symmetrize_pattern(matrix);
  BreadthFirst search(graph);
  Permutation order;
  order.reserve(matrix.rows);
  std::vector<bool> placed(matrix.rows);
  std::vector<std::int32_t> component;
  for (std::int64_t node = 0; node < matrix.rows; ++node) {
    if (placed[node]) continue;
    const std::int32_t start = search.pseudo_peripheral(static_cast<std::int32_t>(node), component);
    const std::size_t first = order.size();
    search.cuthill_mckee(start, order);
    for (std::size_t k = first; k < order.size(); ++k) placed[order[k]] = true;
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace sparsecast
