#include "core/matrix/nested_parts.hpp"

#include <metis.h>

#include <bit>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/matrix/part_order.hpp"

namespace sparsecast {
namespace {

/// The half of each node, 0 or 1.
std::vector<idx_t> bisect(NodeGraph& graph) {
  auto nodes = static_cast<idx_t>(graph.weights.size());
  std::vector<idx_t> half_of(graph.weights.size(), 0);
  if (nodes < 2) return half_of;
  idx_t constraints = 1;
  idx_t halves = 2;
  idx_t cut = 0;
  std::vector<idx_t> options(METIS_NOPTIONS);
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_UFACTOR] = 1;  // a half exceeds its share by a thousandth
  // The better of two cuts: one is now and then half again as long as the other. Short ones matter
  // less than their time.
  constexpr idx_t many_nodes = 10'000;
  options[METIS_OPTION_NCUTS] = nodes > many_nodes ? 2 : 1;
  run_metis(graph, [&] {
    return METIS_PartGraphRecursive(
        &nodes, &constraints, graph.offsets.data(), graph.neighbours.data(), graph.weights.data(),
        nullptr, nullptr, &halves, nullptr, nullptr, options.data(), &cut, half_of.data());
  });
  return half_of;
}

bool is_power_of_two(int parts) {
  return parts > 0 && std::has_single_bit(static_cast<unsigned>(parts));
}

}  // namespace

bool cuts_nested(int parts) {
  return parts > 64 && is_power_of_two(parts);
}

NestedParts::NestedParts(const CsrView<double>& matrix)
    : graph_(node_graph(matrix)), part_of_(graph_.weights.size(), 0) {}

Permutation NestedParts::order(int parts) {
  if (!is_power_of_two(parts)) {
    throw Error("METIS: " + std::to_string(parts) + " nested parts; expected a power of two");
  }
  if (parts == 1 || std::ssize(part_of_) <= parts) {
    return identity_permutation(std::ssize(graph_.node_of));
  }
  while (parts_ < parts) halve();
  std::vector<std::int32_t> part_of = part_of_;
  for (std::int32_t& part : part_of) part /= parts_ / parts;
  return order_by_parts(graph_, part_of, parts);
}

void NestedParts::halve() {
  // The nodes of each part, one part after the other.
  std::vector<std::int32_t> first(static_cast<std::size_t>(parts_) + 1, 0);
  for (const std::int32_t part : part_of_) ++first[part + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::int32_t> nodes(part_of_.size());
  std::vector<std::int32_t> place_of(part_of_.size());  // in its part
  std::vector<std::int32_t> next(first.begin(), first.end() - 1);
  for (std::int32_t node = 0; node < std::ssize(part_of_); ++node) {
    const std::int32_t part = part_of_[node];
    place_of[node] = next[part] - first[part];
    nodes[next[part]++] = node;
  }

  std::vector<std::int32_t> halves(part_of_.size());
  for (int part = 0; part < parts_; ++part) {
    const auto own = std::span(nodes).subspan(first[part], first[part + 1] - first[part]);
    NodeGraph graph;
    for (const std::int32_t node : own) {
      for (std::int32_t k = graph_.offsets[node]; k < graph_.offsets[node + 1]; ++k) {
        const std::int32_t neighbour = graph_.neighbours[k];
        if (part_of_[neighbour] == part) graph.neighbours.push_back(place_of[neighbour]);
      }
      graph.offsets.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
      graph.weights.push_back(graph_.weights[node]);
    }
    const std::vector<idx_t> half_of = bisect(graph);
    for (std::size_t k = 0; k < own.size(); ++k) halves[own[k]] = 2 * part + half_of[k];
  }
  part_of_ = std::move(halves);
  parts_ *= 2;
}

}  // namespace sparsecast
