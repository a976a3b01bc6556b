// What mpi_ranks_test.cpp runs under mpirun. "cut": ranks cut a grid in a random order by
// PT-Scotch; rank 0 prints the largest halo of a rank as it was given and as it was cut, the
// largest share of the entries, over the mean, and a hash of all rows in their new order. "hang":
// rank 1 comes to the cut, then hangs; a rank waits two seconds for another one.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/hash.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/renumber.hpp"
#include "core/mpi/mpi_ranks.hpp"

namespace {

using namespace sparsecast;

/// Of all rows, by the numbers that they had.
std::uint64_t hash_of_order(const RankMatrix& matrix) {
  const Segment stretch = matrix.order->stretch();
  std::vector<double> rows(static_cast<std::size_t>(stretch.rows()));
  std::iota(rows.begin(), rows.end(), static_cast<double>(stretch.begin_row));
  std::vector<double> all;
  gather_in_turn(matrix.part, matrix.order->to_part(rows), [&](std::span<const double> values) {
    all.insert(all.end(), values.begin(), values.end());
  });
  return hash_of(std::string_view(reinterpret_cast<const char*>(all.data()), 8 * all.size()), 1);
}

void cut(ProcessRanks& ranks) {
  constexpr int width = 60;
  CsrMatrix<double> grid;
  if (ranks.rank() == 0) {
    grid =
        renumber<double>(laplacian(5, width, width).view(), random_permutation(width * width, 3));
  }
  const auto largest_halo = [&](const RankMatrix& matrix) {
    return ranks.maximum(static_cast<double>(matrix.part.halo.values()));
  };
  const double given = largest_halo(distribute_whole(ranks, grid.view(), {}));
  const RankMatrix matrix = distribute_whole(ranks, grid.view(), {.cut = ranks.graph_cut()});
  const double halo = largest_halo(matrix);
  const auto mine = static_cast<double>(matrix.part.own.nonzeros(matrix.matrix.row_offsets));
  const double share = ranks.maximum(mine) * ranks.size() / static_cast<double>(matrix.nonzeros);
  const std::uint64_t order = hash_of_order(matrix);
  if (ranks.rank() != 0) return;
  std::printf("%g %g %g %llx\n", given, halo, share, static_cast<unsigned long long>(order));
}

/// A node on each rank, all of them in a row.
RankGraph chain(const Communicator& ranks) {
  const int rank = ranks.rank();
  RankGraph graph;
  graph.nodes.begins.resize(static_cast<std::size_t>(ranks.size()) + 1);
  std::iota(graph.nodes.begins.begin(), graph.nodes.begins.end(), 0);
  graph.first_rows = {rank, rank + 1};
  if (rank > 0) graph.neighbours.push_back(rank - 1);
  if (rank + 1 < ranks.size()) graph.neighbours.push_back(rank + 1);
  graph.offsets = {0, std::ssize(graph.neighbours)};
  graph.weights = {1};
  return graph;
}

void hang_in_cut(ProcessRanks& ranks) {
  const GraphCut cut = ranks.graph_cut();
  if (ranks.rank() != 1) {
    cut(chain(ranks));
    return;
  }
  ranks.maximum(0);  // what all say when a cut begins
  pause();
}

}  // namespace

int main(int, char** argv) {
  const bool hangs = std::strcmp(argv[1], "hang") == 0;
  const auto ranks = open_mpi_ranks(
      [](const std::string& line) { std::fprintf(stderr, "cutting_ranks: %s\n", line.c_str()); },
      hangs ? 2 : rank_patience_seconds);
  RankEnd end;
  try {
    if (hangs) {
      hang_in_cut(*ranks);
    } else {
      cut(*ranks);
    }
  } catch (const Error& error) {
    end = {1, error.what()};
  }
  end = ranks->conclude(end);
  if (!end.line.empty()) std::fprintf(stderr, "cutting_ranks: %s\n", end.line.c_str());
  return end.status;
}
