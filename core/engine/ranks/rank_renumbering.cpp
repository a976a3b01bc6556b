#include "core/engine/ranks/rank_renumbering.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/engine/ranks/rank_lists.hpp"
#include "core/engine/ranks/rank_lookup.hpp"

namespace sparsecast {
namespace {

/// A part's rows: those without an entry in another part, and the others.
constexpr int kinds = 2;

/// `kinds` times its part, and its kind, of each own node.
Buffer<std::int64_t> places_of_nodes(Communicator& ranks, const RankGraph& graph,
                                     std::span<const std::int64_t> part_of) {
  const RankLookup parts(ranks, graph.nodes, part_of, graph.neighbours);
  Buffer<std::int64_t> places;
  for (std::int64_t node = 0; node < graph.own_nodes(); ++node) {
    const std::int64_t part = part_of[static_cast<std::size_t>(node)];
    const bool interior =
        std::ranges::all_of(graph.neighbours_of(node),
                            [&](std::int64_t neighbour) { return parts.of(neighbour) == part; });
    places.push_back(kinds * part + (interior ? 0 : 1));
  }
  return places;
}

/// The part of each own node.
Buffer<std::int64_t> parts_of_nodes(Communicator& ranks, const RankGraph& graph,
                                    const GraphCut& cut) {
  if (graph.nodes.total() <= ranks.size()) {
    return Buffer<std::int64_t>(static_cast<std::size_t>(graph.own_nodes()), ranks.rank());
  }
  const std::vector<int> parts = cut(graph);
  return {parts.begin(), parts.end()};
}

/// The rows of all parts in the new order, and numbers in it.
struct Numbering {
  RankRows parts;
  Buffer<std::int64_t> numbers;
};

/// The number of the first of this rank's rows in each place, of which it has `counts`.
Numbering number_places(Communicator& ranks, std::span<const std::int64_t> counts) {
  // A part's rows are numbered by the rank that gets it: by kind, then by the ranks that have them
  // now, which is the order of the matrix.
  std::vector<Buffer<std::int64_t>> lists;
  for (std::size_t place = 0; place < counts.size(); place += kinds) {
    const auto of_part = counts.subspan(place, kinds);
    lists.emplace_back(of_part.begin(), of_part.end());
  }
  lists = exchange_lists(ranks, std::move(lists));
  std::int64_t rows = 0;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    for (Buffer<std::int64_t>& list : lists) list[kind] = std::exchange(rows, rows + list[kind]);
  }
  Numbering first;
  first.parts = in_order_of_ranks(ranks, rows);
  for (Buffer<std::int64_t>& list : lists) {
    for (std::int64_t& number : list) number += first.parts.begin(ranks.rank());
  }
  for (const Buffer<std::int64_t>& list : exchange_lists(ranks, std::move(lists))) {
    first.numbers.insert(first.numbers.end(), list.begin(), list.end());
  }
  return first;
}

/// The new number of each row of the rank's stretch.
Numbering number_rows(Communicator& ranks, const RankGraph& graph, const GraphCut& cut,
                      bool last_is_short) {
  Buffer<std::int64_t> part_of = parts_of_nodes(ranks, graph, cut);
  // What is no whole block comes last, so that all others begin at multiples of their length.
  const bool puts_last = last_is_short && graph.own_nodes() > 0 &&
                         graph.nodes.end(ranks.rank()) == graph.nodes.total();
  if (puts_last) part_of.back() = ranks.size() - 1;
  Buffer<std::int64_t> places = places_of_nodes(ranks, graph, part_of);
  if (puts_last) places.back() = kinds * std::int64_t{ranks.size()} - 1;

  std::vector<std::int64_t> counts(std::size_t{kinds} * static_cast<std::size_t>(ranks.size()), 0);
  for (std::int64_t node = 0; node < graph.own_nodes(); ++node) {
    counts[places[node]] += graph.first_rows[node + 1] - graph.first_rows[node];
  }
  Numbering next = number_places(ranks, counts);
  Numbering rows{std::move(next.parts), {}};
  for (std::int64_t node = 0; node < graph.own_nodes(); ++node) {
    for (auto row = graph.first_rows[node]; row < graph.first_rows[node + 1]; ++row) {
      rows.numbers.push_back(next.numbers[places[node]]++);
    }
  }
  return rows;
}

void round_begins(RankRows& parts, int unit_rows) {
  const std::int64_t rows = parts.total();
  for (std::int64_t& begin : parts.begins) {
    begin = std::min(rows, (begin + unit_rows / 2) / unit_rows * unit_rows);
  }
  parts.begins.back() = rows;
}

void renumber(Communicator& ranks, const RankRows& given, std::span<const std::int64_t> numbers,
              std::span<Buffer<WholeEntry>> entries) {
  const std::int64_t begin = given.begin(ranks.rank());
  const std::int64_t end = given.end(ranks.rank());
  Buffer<std::int64_t> wanted;
  for (const Buffer<WholeEntry>& list : entries) {
    for (const WholeEntry& entry : list) {
      if (entry.column < begin || entry.column >= end) wanted.push_back(entry.column);
    }
  }
  const RankLookup lookup(ranks, given, numbers, std::move(wanted));
  for (Buffer<WholeEntry>& list : entries) {
    for (WholeEntry& entry : list) {
      entry.row = lookup.of(entry.row);
      entry.column = lookup.of(entry.column);
    }
  }
}

}  // namespace

RankRenumbering renumber_by_parts(Communicator& ranks, const RankRows& given,
                                  std::span<Buffer<WholeEntry>> entries, const GraphCut& cut,
                                  int rows_together, int unit_rows) {
  Numbering numbered = number_rows(ranks, rank_graph(ranks, given, entries, rows_together), cut,
                                   given.total() % rows_together != 0);
  renumber(ranks, given, numbered.numbers, entries);
  round_begins(numbered.parts, unit_rows);
  RankOrder order(ranks, given, numbered.parts, numbered.numbers);
  return {std::move(numbered.parts), std::move(order)};
}

}  // namespace sparsecast
