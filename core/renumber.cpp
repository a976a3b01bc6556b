#include "core/renumber.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/metis_order.hpp"
#include "core/parallel_rows.hpp"
#include "core/random_stream.hpp"
#include "core/symmetrize.hpp"

namespace sparsecast {
namespace {

constexpr std::array renumberings{std::pair{Renumbering::none, std::string_view("none")},
                                  std::pair{Renumbering::random, std::string_view("random")},
                                  std::pair{Renumbering::rcm, std::string_view("rcm")},
                                  std::pair{Renumbering::metis, std::string_view("metis")}};

template <class T>
void check_square(const CsrView<T>& matrix) {
  if (matrix.rows != matrix.columns) {
    throw Error("cannot renumber a matrix of " + std::to_string(matrix.rows) + " x " +
                std::to_string(matrix.columns) + ": expected a square one");
  }
}

/// new_index[old_index]. Throws `Error` unless `permutation` holds each of its places once.
Buffer<std::int32_t> inverse(std::span<const std::int32_t> permutation) {
  const auto size = static_cast<std::int64_t>(permutation.size());
  Buffer<std::int32_t> result;
  result.assign(size, -1);
  for (std::int64_t place = 0; place < size; ++place) {
    const std::int64_t old = permutation[place];
    if (old < 0 || old >= size || result[old] >= 0) {
      throw Error("renumbering: place " + std::to_string(place) + " holds " + std::to_string(old) +
                  "; expected each number from 0 to " + std::to_string(size - 1) + " once");
    }
    result[old] = static_cast<std::int32_t>(place);
  }
  return result;
}

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

std::string_view to_string(Renumbering how) {
  return std::ranges::find(renumberings, how, &std::pair<Renumbering, std::string_view>::first)
      ->second;
}

Renumbering parse_renumbering(std::string_view name) {
  std::string known;
  for (const auto& [how, its_name] : renumberings) {
    if (name == its_name) return how;
    known += (known.empty() ? "" : ", ") + std::string(its_name);
  }
  throw Error("unknown renumbering '" + std::string(name) + "'; expected one of " + known);
}

Permutation make_permutation(Renumbering how, const CsrView<double>& matrix, int parts,
                             std::uint64_t seed) {
  switch (how) {
    case Renumbering::random:
      return random_permutation(matrix.rows, seed);
    case Renumbering::rcm:
      return reverse_cuthill_mckee(matrix);
    case Renumbering::metis:
      return metis_order(matrix, parts);
    case Renumbering::none:
      break;
  }
  Permutation identity(matrix.rows);
  std::iota(identity.begin(), identity.end(), 0);
  return identity;
}

Permutation random_permutation(std::int64_t size, std::uint64_t seed) {
  if (size < 0 || size > std::numeric_limits<std::int32_t>::max()) {
    throw Error("a permutation of " + std::to_string(size) + ": expected 0 to 2147483647");
  }
  Permutation permutation(size);
  for (std::int64_t k = 0; k < size; ++k) permutation[k] = static_cast<std::int32_t>(k);
  RandomStream random(seed, 0);
  for (std::int64_t k = size - 1; k > 0; --k) {
    std::swap(permutation[k], permutation[random.below(k + 1)]);
  }
  return permutation;
}

Permutation reverse_cuthill_mckee(const CsrView<double>& matrix) {
  check_square(matrix);
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

template <class T>
CsrMatrix<T> renumber(const CsrView<T>& matrix, std::span<const std::int32_t> permutation,
                      int threads) {
  check_square(matrix);
  if (static_cast<std::int64_t>(permutation.size()) != matrix.rows) {
    throw Error("renumbering of " + std::to_string(permutation.size()) + " places for " +
                std::to_string(matrix.rows) + " rows: expected as many");
  }
  const Buffer<std::int32_t> new_index = inverse(permutation);
  CsrMatrix<T> result;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.row_offsets.resize(matrix.rows + 1);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t old = permutation[row];
    result.row_offsets[row + 1] = matrix.row_offsets[old + 1] - matrix.row_offsets[old];
  }
  lengths_to_offsets(result.row_offsets);
  result.column_indices.resize(matrix.nonzeros());
  result.values.resize(matrix.nonzeros());
  parallel_rows(
      result.row_offsets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::pair<std::int32_t, std::int64_t>> entries;  // new column, old place
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int64_t old = permutation[row];
          entries.clear();
          for (std::int64_t k = matrix.row_offsets[old]; k < matrix.row_offsets[old + 1]; ++k) {
            entries.emplace_back(new_index[matrix.column_indices[k]], k);
          }
          std::sort(entries.begin(), entries.end());
          std::int64_t k = result.row_offsets[row];
          for (const auto& [column, place] : entries) {
            result.column_indices[k] = column;
            result.values[k] = matrix.values[place];
            ++k;
          }
        }
      },
      threads);
  return result;
}

template CsrMatrix<float> renumber(const CsrView<float>&, std::span<const std::int32_t>, int);
template CsrMatrix<double> renumber(const CsrView<double>&, std::span<const std::int32_t>, int);

}  // namespace sparsecast
