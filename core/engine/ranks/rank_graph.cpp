#include "core/engine/ranks/rank_graph.hpp"

#include <algorithm>
#include <utility>

#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "core/engine/ranks/rank_lookup.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {
namespace {

/// An entry of one block's rows in the columns of another, of which this rank has the first.
struct BlockPair {
  std::int64_t block = 0;
  std::int64_t other = 0;
};

/// The blocks of rows of all ranks.
RankRows blocks_of(const RankRows& rows, int rows_together) {
  RankRows blocks;
  for (const std::int64_t begin : rows.begins) {
    blocks.begins.push_back((begin + rows_together - 1) / rows_together);
  }
  return blocks;
}

/// For each of the rank's blocks those that its rows and columns have entries in, which rise;
/// itself among them.
struct BlockPattern {
  Buffer<std::int64_t> offsets;
  Buffer<std::int64_t> others;
  Buffer<std::int64_t> entries;  ///< of each block's rows

  std::int64_t count() const { return std::ssize(entries); }
  std::span<const std::int64_t> of(std::int64_t block) const {
    return std::span(others).subspan(static_cast<std::size_t>(offsets[block]),
                                     static_cast<std::size_t>(offsets[block + 1] - offsets[block]));
  }
};

/// Tells the other ranks which of their blocks' columns have entries here. Returns what comes from
/// each of them.
std::vector<Buffer<BlockPair>> send_columns(Communicator& ranks, const RankRows& blocks,
                                            std::span<const Buffer<WholeEntry>> entries,
                                            int rows_together) {
  return exchange_lists(ranks, lists_for_ranks<BlockPair>(ranks, [&](const auto& take) {
                          for (const Buffer<WholeEntry>& list : entries) {
                            for (const WholeEntry& entry : list) {
                              const std::int64_t column = entry.column / rows_together;
                              const int owner = blocks.owner(column);
                              if (owner != ranks.rank())
                                take(owner, BlockPair{column, entry.row / rows_together});
                            }
                          }
                        }));
}

/// Brings each block's others into order, each once.
void sort_once(BlockPattern& pattern) {
  std::int64_t end = 0;
  for (std::int64_t block = 0; block < pattern.count(); ++block) {
    const auto first = pattern.others.begin() + pattern.offsets[block];
    const auto last = pattern.others.begin() + pattern.offsets[block + 1];
    std::sort(first, last);
    const auto kept = std::unique(first, last);
    pattern.offsets[block] = end;
    for (auto other = first; other != kept; ++other) pattern.others[end++] = *other;
  }
  pattern.offsets.back() = end;
  pattern.others.resize(static_cast<std::size_t>(end));
  pattern.others.shrink_to_fit();
}

BlockPattern block_pattern(Communicator& ranks, const RankRows& blocks,
                           std::span<const Buffer<WholeEntry>> entries, int rows_together) {
  const std::vector<Buffer<BlockPair>> columns =
      send_columns(ranks, blocks, entries, rows_together);
  BlockPattern pattern;
  do_together(ranks, [&] {
    const std::int64_t begin = blocks.begin(ranks.rank());
    const std::int64_t count = blocks.count(ranks.rank());
    const auto for_all = [&](const auto& take) {
      for (std::int64_t block = 0; block < count; ++block) take(block, begin + block);
      for (const Buffer<WholeEntry>& list : entries) {
        for (const WholeEntry& entry : list) {
          const std::int64_t row = entry.row / rows_together;
          const std::int64_t column = entry.column / rows_together;
          take(row - begin, column);
          if (column >= begin && column < begin + count) take(column - begin, row);
        }
      }
      for (const Buffer<BlockPair>& list : columns) {
        for (const BlockPair& pair : list) take(pair.block - begin, pair.other);
      }
    };
    pattern.entries.assign(static_cast<std::size_t>(count), 0);
    for (const Buffer<WholeEntry>& list : entries) {
      for (const WholeEntry& entry : list) ++pattern.entries[entry.row / rows_together - begin];
    }
    pattern.offsets.assign(static_cast<std::size_t>(count) + 1, 0);
    for_all([&](std::int64_t block, std::int64_t) { ++pattern.offsets[block + 1]; });
    lengths_to_offsets(pattern.offsets);
    pattern.others.resize(static_cast<std::size_t>(pattern.offsets.back()));
    Buffer<std::int64_t> next(pattern.offsets.begin(), pattern.offsets.end());
    for_all([&](std::int64_t block, std::int64_t other) { pattern.others[next[block]++] = other; });
    sort_once(pattern);
  });
  return pattern;
}

/// The first blocks of the nodes, and the end.
Buffer<std::int64_t> first_blocks(const BlockPattern& pattern) {
  Buffer<std::int64_t> first;
  for (std::int64_t block = 0; block < pattern.count(); ++block) {
    if (block == 0 || !std::ranges::equal(pattern.of(block), pattern.of(block - 1))) {
      first.push_back(block);
    }
  }
  first.push_back(pattern.count());
  return first;
}

}  // namespace

RankGraph rank_graph(Communicator& ranks, const RankRows& rows,
                     std::span<const Buffer<WholeEntry>> entries, int rows_together) {
  const RankRows blocks = blocks_of(rows, rows_together);
  const BlockPattern pattern = block_pattern(ranks, blocks, entries, rows_together);
  const Buffer<std::int64_t> first = first_blocks(pattern);
  const std::int64_t count = std::ssize(first) - 1;
  RankGraph graph;
  graph.nodes = in_order_of_ranks(ranks, count);
  Buffer<std::int64_t> node_of(static_cast<std::size_t>(pattern.count()));
  Buffer<std::int64_t> wanted;
  for (std::int64_t node = 0; node < count; ++node) {
    std::fill(node_of.begin() + first[node], node_of.begin() + first[node + 1],
              graph.nodes.begin(ranks.rank()) + node);
    const auto others = pattern.of(first[node]);
    wanted.insert(wanted.end(), others.begin(), others.end());
  }
  const RankLookup nodes(ranks, blocks, node_of, std::move(wanted));

  do_together(ranks, [&] {
    graph.offsets.push_back(0);
    for (std::int64_t node = 0; node < count; ++node) {
      const std::int64_t itself = graph.nodes.begin(ranks.rank()) + node;
      // The blocks of a node follow each other, so its neighbours rise as theirs do.
      std::int64_t last = -1;
      for (const std::int64_t block : pattern.of(first[node])) {
        const std::int64_t neighbour = nodes.of(block);
        if (neighbour != itself && neighbour != last) graph.neighbours.push_back(neighbour);
        last = neighbour;
      }
      graph.offsets.push_back(std::ssize(graph.neighbours));
      std::int64_t weight = 0;
      for (std::int64_t block = first[node]; block < first[node + 1]; ++block) {
        weight += pattern.entries[block];
      }
      graph.weights.push_back(std::max<std::int64_t>(1, weight));
    }
    for (const std::int64_t block : first) {
      graph.first_rows.push_back(
          std::min(rows.end(ranks.rank()), (blocks.begin(ranks.rank()) + block) * rows_together));
    }
  });
  return graph;
}

}  // namespace sparsecast
