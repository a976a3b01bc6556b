#include "core/matrix/generate/table4_couplings.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/random_stream.hpp"
#include "core/base/threads/parallel_rows.hpp"
#include "core/matrix/generate/dominant_values.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {
namespace {

/// A coupling with the place that it has among all.
struct RankedCoupling {
  std::uint64_t rank = 0;
  std::int32_t first = 0;
  std::int32_t second = 0;
};

std::uint64_t rank_of(const Coupling& coupling, std::uint64_t seed) {
  const std::uint64_t pair = static_cast<std::uint64_t>(coupling.first) << 32 |
                             static_cast<std::uint64_t>(coupling.second);
  constexpr int chance_bits = 56;
  return static_cast<std::uint64_t>(coupling.level) << chance_bits |
         scramble(scramble(seed) ^ pair) >> (64 - chance_bits);
}

/// Each pair once, with the lowest of its levels, those that go first in front.
std::vector<RankedCoupling> ranked(const std::vector<Coupling>& couplings, std::uint64_t seed) {
  std::vector<RankedCoupling> all;
  all.reserve(couplings.size());
  for (const Coupling& coupling : couplings) {
    const auto [low, high] = std::minmax(coupling.first, coupling.second);
    all.push_back({rank_of({low, high, coupling.level}, seed), low, high});
  }
  std::ranges::sort(all, {}, [](const RankedCoupling& coupling) {
    return std::tuple(coupling.first, coupling.second, coupling.rank);
  });
  const auto same = [](const RankedCoupling& one, const RankedCoupling& other) {
    return one.first == other.first && one.second == other.second;
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  std::ranges::sort(all, {}, [](const RankedCoupling& coupling) {
    return std::tuple(coupling.rank, coupling.first, coupling.second);
  });
  return all;
}

/// Which nodes are coupled, each pair in both directions, and the pair of which only a part is.
struct NodePattern {
  std::vector<std::int64_t> offsets;  ///< of the neighbours of a node
  std::vector<std::int32_t> neighbours;
  std::int32_t first_of_part = -1;
  std::int32_t second_of_part = -1;
  /// Entries of that pair's block, row by row of its first node.
  std::int64_t part = 0;
};

class NodeSizes {
 public:
  explicit NodeSizes(const CoupledNodes& nodes) : rows_(nodes.rows), unknowns_(nodes.unknowns) {}
  std::int64_t count() const { return (rows_ + unknowns_ - 1) / unknowns_; }
  std::int64_t first_row(std::int64_t node) const { return node * unknowns_; }
  std::int64_t of(std::int64_t node) const {
    return std::min<std::int64_t>(unknowns_, rows_ - first_row(node));
  }

 private:
  std::int64_t rows_;
  std::int64_t unknowns_;
};

NodePattern choose(const CoupledNodes& nodes, const std::vector<RankedCoupling>& couplings) {
  const NodeSizes size(nodes);
  const std::int64_t count = size.count();
  const auto has_own_block = [&](std::int64_t node) {
    return nodes.own_block.empty() || nodes.own_block[node];
  };
  std::int64_t missing = nodes.nonzeros;
  std::vector<std::int32_t> degree(count);
  for (std::int64_t node = 0; node < count; ++node) {
    if (!has_own_block(node)) continue;
    missing -= size.of(node) * size.of(node);
    degree[node] = 1;
  }
  if (missing < 0 || missing % 2 != 0) {
    throw Error(std::to_string(nodes.nonzeros) + " nonzeros in " + std::to_string(nodes.rows) +
                " rows: no symmetric pattern with these blocks on the diagonal has so many");
  }
  NodePattern pattern;
  std::vector<RankedCoupling> taken;
  for (const RankedCoupling& coupling : couplings) {
    if (missing == 0) break;
    const auto [rank, first, second] = coupling;
    if (degree[first] >= nodes.most[first] || degree[second] >= nodes.most[second]) continue;
    const std::int64_t block = size.of(first) * size.of(second);
    if (2 * block > missing) {
      pattern.first_of_part = first;
      pattern.second_of_part = second;
      pattern.part = missing / 2;
    }
    missing -= std::min(2 * block, missing);
    ++degree[first];
    ++degree[second];
    taken.push_back(coupling);
  }
  if (missing > 0) {
    throw Error(std::to_string(nodes.nonzeros) + " nonzeros in " + std::to_string(nodes.rows) +
                " rows: the couplings hold " + std::to_string(missing) + " too few");
  }
  pattern.offsets.resize(count + 1);
  for (std::int64_t node = 0; node < count; ++node) {
    pattern.offsets[node + 1] = pattern.offsets[node] + degree[node];
  }
  pattern.neighbours.resize(pattern.offsets[count]);
  std::vector<std::int64_t> place(pattern.offsets.begin(), pattern.offsets.end() - 1);
  for (std::int64_t node = 0; node < count; ++node) {
    if (has_own_block(node)) pattern.neighbours[place[node]++] = static_cast<std::int32_t>(node);
  }
  for (const auto& [rank, first, second] : taken) {
    pattern.neighbours[place[first]++] = second;
    pattern.neighbours[place[second]++] = first;
  }
  for (std::int64_t node = 0; node < count; ++node) {
    std::sort(pattern.neighbours.begin() + pattern.offsets[node],
              pattern.neighbours.begin() + pattern.offsets[node + 1]);
  }
  return pattern;
}

/// Calls `add(row, column)` for the entries of a node's rows, in their order.
template <class Add>
void for_entries(const NodePattern& pattern, const NodeSizes& size, std::int64_t node,
                 const Add& add) {
  const auto is_in_part = [&](std::int64_t other, std::int64_t i, std::int64_t j) {
    if (node == pattern.first_of_part && other == pattern.second_of_part) {
      return i * size.of(other) + j < pattern.part;
    }
    if (node == pattern.second_of_part && other == pattern.first_of_part) {
      return j * size.of(node) + i < pattern.part;
    }
    return true;
  };
  for (std::int64_t i = 0; i < size.of(node); ++i) {
    for (std::int64_t k = pattern.offsets[node]; k < pattern.offsets[node + 1]; ++k) {
      const std::int64_t other = pattern.neighbours[k];
      for (std::int64_t j = 0; j < size.of(other); ++j) {
        if (is_in_part(other, i, j)) add(size.first_row(node) + i, size.first_row(other) + j);
      }
    }
  }
}

}  // namespace

CsrMatrix<double> coupled_nodes(const CoupledNodes& nodes, const std::vector<Coupling>& couplings,
                                std::uint64_t seed, int threads) {
  const NodeSizes size(nodes);
  const NodePattern pattern = choose(nodes, ranked(couplings, seed));
  CsrPattern rows;
  rows.row_offsets.resize(nodes.rows + 1);
  rows.row_offsets[0] = 0;
  const auto for_nodes = [&](const auto& work) {
    parallel_rows(
        pattern.offsets, 1,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t node = begin; node < end; ++node) work(node);
        },
        threads);
  };
  for_nodes([&](std::int64_t node) {
    std::fill_n(&rows.row_offsets[size.first_row(node) + 1], size.of(node), 0);
    for_entries(pattern, size, node,
                [&](std::int64_t row, std::int64_t) { ++rows.row_offsets[row + 1]; });
  });
  lengths_to_offsets(rows.row_offsets);
  rows.column_indices.resize(rows.row_offsets[nodes.rows]);
  for_nodes([&](std::int64_t node) {
    std::int64_t place = rows.row_offsets[size.first_row(node)];
    for_entries(pattern, size, node, [&](std::int64_t, std::int64_t column) {
      rows.column_indices[place++] = static_cast<std::int32_t>(column);
    });
  });
  CsrMatrix<double> matrix = square_matrix(std::move(rows));
  fill_dominant_values(
      matrix,
      [&](std::int64_t row, std::int64_t column) { return symmetric_value(seed, row, column); },
      threads);
  return matrix;
}

}  // namespace sparsecast
