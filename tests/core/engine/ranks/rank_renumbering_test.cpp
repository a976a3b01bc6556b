#include "core/engine/ranks/rank_renumbering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/engine/ranks/given_cuts.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/engine/ranks/rank_solve.hpp"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/renumber.hpp"
#include "core/matrix/symmetrize.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

std::vector<double> product(const CsrMatrix<double>& matrix, const std::vector<double>& x,
                            const Segment& rows) {
  std::vector<double> y;
  for (std::int64_t row = rows.begin_row; row < rows.end_row; ++row) {
    double sum = 0;
    for (auto k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      sum += matrix.values[k] * x[static_cast<std::size_t>(matrix.column_indices[k])];
    }
    y.push_back(sum);
  }
  return y;
}

/// A rank's stretch of a product with the matrix that it has a part of.
std::vector<double> stretch_of_product(const RankMatrix& mine, const std::vector<double>& x) {
  const Segment stretch = mine.order->stretch();
  const std::vector<double> own = mine.order->to_part(
      std::span(x).subspan(stretch.begin_row, static_cast<std::size_t>(stretch.rows())));
  std::vector<double> whole(static_cast<std::size_t>(mine.matrix.rows), 0);
  std::ranges::copy(own, whole.begin() + mine.part.own.begin_row);
  Buffer<double> packed;
  fetch_halo<double>(mine.part, own, whole.data(), packed);
  return mine.order->to_stretch(product(mine.matrix, whole, mine.part.own));
}

/// Multiplies on so many ranks by the matrix of these entries, which each rank knows some of, and
/// compares with what is expected, in the order of the matrix.
template <class EntriesOf>
void expect_product(const CsrMatrix<double>& matrix, const EntriesOf& entries_of, double factor,
                    int size, const RankMatrixOptions& options) {
  const std::vector<double> x = right_side(matrix.rows);
  const std::vector<double> expected = product(matrix, x, {0, matrix.rows});
  ThreadRanks::run(size, [&](Communicator& ranks) {
    const RankMatrix mine = distribute(ranks, matrix.rows, entries_of(ranks), options);
    ASSERT_TRUE(mine.order.has_value());
    EXPECT_EQ(mine.part.unknowns(), matrix.rows);
    const std::vector<double> y = stretch_of_product(mine, x);
    const Segment stretch = mine.order->stretch();
    ASSERT_EQ(std::ssize(y), stretch.rows());
    for (std::size_t i = 0; i < y.size(); ++i) {
      EXPECT_NEAR(y[i], factor * expected[stretch.begin_row + i], 1e-12) << "row " << i;
    }
    for (const std::int64_t begin : mine.part.rows.begins) {
      EXPECT_TRUE(begin % std::lcm(options.rows_together, options.row_alignment) == 0 ||
                  begin == matrix.rows);
    }
  });
}

TEST(ThreadedRankRenumbering, KeepsTheProduct) {
  for (const CsrMatrix<double>& matrix :
       {random_csr<double>(41, 41, 4, 3), random_csr<double>(210, 210, 5, 8), laplacian(9, 9, 7)}) {
    for (const int size : {1, 2, 3, 7}) {
      for (const auto& [together, alignment] : {std::pair{1, 1}, {3, 1}, {3, 2}, {1, 32}}) {
        for (const bool with_columns : {false, true}) {
          SCOPED_TRACE(std::to_string(matrix.rows) + " rows on " + std::to_string(size) +
                       " ranks by " + std::to_string(together));
          expect_product(matrix, [&](Communicator& ranks) { return known_entries(matrix, ranks); },
                         1, size, {together, with_columns, 1, alignment, dealing_cut()});
        }
      }
    }
  }
}

TEST(ThreadedRankRenumbering, MayHaveFewerRowsThanRanks) {
  const CsrMatrix<double> matrix = laplacian(5, 3, 1);
  for (const int size : {3, 8}) {
    expect_product(matrix, [&](Communicator& ranks) { return known_entries(matrix, ranks); }, 1,
                   size, {.cut = dealing_cut()});
  }
}

TEST(ThreadedRankRenumbering, MayLeaveRanksWithoutRows) {
  const CsrMatrix<double> matrix = random_csr<double>(50, 50, 4, 5);
  const GraphCut all_to_one = cut_by_rows([](std::int64_t, std::int64_t) { return 1; });
  expect_product(matrix, [&](Communicator& ranks) { return known_entries(matrix, ranks); }, 1, 4,
                 {.cut = all_to_one});
}

TEST(ThreadedRankRenumbering, AddsUpEntriesOfOnePlace) {
  const CsrMatrix<double> matrix = random_csr<double>(60, 60, 4, 2);
  const auto all_twice = [&](Communicator& ranks) {
    Buffer<WholeEntry> entries = known_entries(matrix, ranks);
    const auto count = std::ssize(entries);
    for (std::int64_t k = 0; k < count; ++k) entries.push_back(entries[k]);
    return entries;
  };
  expect_product(matrix, all_twice, 2, 3, {.cut = dealing_cut()});
  ThreadRanks::run(3, [&](Communicator& ranks) {
    EXPECT_TRUE(
        distribute(ranks, matrix.rows, all_twice(ranks), {.cut = dealing_cut()}).duplicates);
  });
}

/// The old numbers of all rows, in the new order.
std::vector<std::int64_t> old_rows(const CsrMatrix<double>& matrix, int size,
                                   const RankMatrixOptions& options) {
  std::vector<std::int64_t> old;
  ThreadRanks::run(size, [&](Communicator& ranks) {
    const RankMatrix mine = distribute(ranks, matrix.rows, known_entries(matrix, ranks), options);
    const Segment stretch = mine.order->stretch();
    std::vector<double> rows(static_cast<std::size_t>(stretch.rows()));
    std::iota(rows.begin(), rows.end(), static_cast<double>(stretch.begin_row));
    gather_in_turn(mine.part, mine.order->to_part(rows), [&](std::span<const double> values) {
      old.insert(old.end(), values.begin(), values.end());
    });
  });
  return old;
}

TEST(ThreadedRankRenumbering, HasInteriorRowsFirstAndBothKindsInOrder) {
  const CsrMatrix<double> matrix = random_csr<double>(150, 150, 1, 7);
  const CsrPattern pattern = symmetrize_pattern(matrix.view());
  for (const int size : {2, 5}) {
    // Parts of neighbouring rows, so that some have no entry in another.
    const auto part_of = [](std::int64_t row, std::int64_t parts) { return row / 7 % parts; };
    std::vector<std::tuple<std::int64_t, bool, std::int64_t>> expected;
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      const std::int64_t part = part_of(row, size);
      bool boundary = false;
      for (auto k = pattern.row_offsets[row]; k < pattern.row_offsets[row + 1]; ++k) {
        boundary = boundary || part_of(pattern.column_indices[k], size) != part;
      }
      expected.emplace_back(part, boundary, row);
    }
    std::ranges::sort(expected);
    const std::vector<std::int64_t> old = old_rows(matrix, size, {.cut = cut_by_rows(part_of)});
    ASSERT_EQ(old.size(), expected.size());
    for (std::size_t i = 0; i < old.size(); ++i) EXPECT_EQ(old[i], std::get<2>(expected[i]));
    EXPECT_FALSE(std::ranges::is_sorted(old));
  }
}

TEST(ThreadedRankRenumbering, KeepsBlocksWholeAndTheShortOneLast) {
  for (const std::int64_t rows : {90, 101}) {
    const CsrMatrix<double> matrix = random_csr<double>(rows, rows, 4, 11);
    for (const int size : {1, 3, 4}) {
      const std::vector<std::int64_t> old =
          old_rows(matrix, size, {.rows_together = 3, .cut = dealing_cut()});
      ASSERT_EQ(std::ssize(old), rows);
      for (std::int64_t row = 0; row < rows; ++row) {
        EXPECT_EQ(old[row] % 3, row % 3);
        EXPECT_EQ(old[row] / 3 * 3, old[row / 3 * 3]);
      }
      EXPECT_TRUE(rows % 3 == 0 || old.back() == rows - 1);
    }
  }
}

/// Each entry of a matrix made a full block of `unknowns` rows and columns.
CsrMatrix<double> with_unknowns(const CsrMatrix<double>& nodes, std::int64_t unknowns) {
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = nodes.rows * unknowns;
  matrix.row_offsets.push_back(0);
  std::mt19937 random(4);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t node = row / unknowns;
    for (auto k = nodes.row_offsets[node]; k < nodes.row_offsets[node + 1]; ++k) {
      for (std::int64_t i = 0; i < unknowns; ++i) {
        matrix.column_indices.push_back(
            static_cast<std::int32_t>(nodes.column_indices[k] * unknowns + i));
        matrix.values.push_back(random_value(random));
      }
    }
    matrix.row_offsets.push_back(std::ssize(matrix.values));
  }
  return matrix;
}

TEST(ThreadedRankRenumbering, CutsAGraphOfTheNodesOfAMesh) {
  const CsrMatrix<double> mesh = laplacian(5, 8, 6);
  const CsrMatrix<double> matrix = with_unknowns(mesh, 2);
  std::mutex turn;
  std::vector<std::int64_t> weights(static_cast<std::size_t>(mesh.rows), 0);
  Buffer<WholeEntry> edges;
  const GraphCut look_at = [&](const RankGraph& graph) {
    const std::lock_guard lock(turn);
    EXPECT_EQ(graph.nodes.total(), mesh.rows);
    for (std::int64_t node = 0; node < graph.own_nodes(); ++node) {
      const std::int64_t whole = graph.first_rows[node] / 2;
      EXPECT_EQ(graph.first_rows[node + 1], 2 * (whole + 1));
      weights[whole] = graph.weights[node];
      for (const std::int64_t other : graph.neighbours_of(node)) edges.push_back({whole, other, 1});
    }
    return dealing_cut()(graph);
  };
  // Ranks get whole nodes.
  const std::vector<std::int64_t> old = old_rows(matrix, 3, {.row_alignment = 2, .cut = look_at});
  for (std::size_t row = 0; row < old.size(); row += 2) EXPECT_EQ(old[row] + 1, old[row + 1]);
  for (std::int64_t node = 0; node < mesh.rows; ++node) {
    const std::int64_t neighbours = mesh.row_offsets[node + 1] - mesh.row_offsets[node];
    EXPECT_EQ(weights[node], 4 * neighbours);
  }
  EXPECT_EQ(std::ssize(edges), mesh.nonzeros() - mesh.rows);
  for (const WholeEntry& edge : edges) {
    const auto columns = std::span(mesh.column_indices)
                             .subspan(mesh.row_offsets[edge.row],
                                      mesh.row_offsets[edge.row + 1] - mesh.row_offsets[edge.row]);
    EXPECT_TRUE(std::ranges::count(columns, edge.column) == 1 && edge.row != edge.column);
  }
}

TEST(ThreadedRankRenumbering, MakesHalosSmallWhereTheCutIsGood) {
  const std::int64_t width = 40;
  const Permutation order = random_permutation(width * width, 9);
  const CsrMatrix<double> matrix = renumber<double>(laplacian(5, width, width).view(), order);
  const GraphCut strips = cut_by_rows([&](std::int64_t row, std::int64_t parts) {
    return order[static_cast<std::size_t>(row)] * parts / (width * width);
  });
  ThreadRanks::run(4, [&](Communicator& ranks) {
    const auto halo = [&](const RankMatrixOptions& options) {
      return distribute(ranks, matrix.rows, known_entries(matrix, ranks), options)
          .part.halo.values();
    };
    // Two lines of the grid at most, each there and back.
    EXPECT_LE(halo({.cut = strips}), 4 * width);
    EXPECT_GT(halo({}), 20 * width);
  });
}

}  // namespace
}  // namespace sparsecast
