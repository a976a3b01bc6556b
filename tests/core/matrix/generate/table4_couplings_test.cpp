#include "core/matrix/generate/table4_couplings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// The entries as a picture: a line a row, x where there is one.
std::string picture(const CsrMatrix<double>& matrix) {
  std::string text;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    std::string line(matrix.columns, '.');
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      line[matrix.column_indices[k]] = 'x';
    }
    text += line + '\n';
  }
  return text;
}

CoupledNodes nodes_of(std::int64_t rows, std::int64_t nonzeros, int unknowns) {
  CoupledNodes nodes;
  nodes.rows = rows;
  nodes.nonzeros = nonzeros;
  nodes.unknowns = unknowns;
  nodes.most.assign((rows + unknowns - 1) / unknowns, 100);
  return nodes;
}

TEST(CoupledNodes, TakesLowLevelsFirstAndPartOfTheLastBlock) {
  // Of two rows each but the last; 4 + 4 + 1 on the diagonal, 8 of a block, 2 of the next.
  const CsrMatrix<double> matrix =
      coupled_nodes(nodes_of(5, 19, 2), {{1, 0, 7}, {2, 0, 8}, {0, 1, 9}}, 3);

  EXPECT_EQ(picture(matrix),
            "xxxxx\n"
            "xxxx.\n"
            "xxxx.\n"
            "xxxx.\n"
            "x...x\n");
}

TEST(CoupledNodes, CouplesNoNodeWithMoreThanItsMost) {
  CoupledNodes nodes = nodes_of(4, 8, 1);
  nodes.most = {2, 2, 2, 3};

  const CsrMatrix<double> matrix =
      coupled_nodes(nodes, {{0, 1, 0}, {1, 2, 1}, {0, 2, 1}, {0, 3, 2}, {3, 2, 3}}, 3);

  EXPECT_EQ(picture(matrix),
            "xx..\n"
            "xx..\n"
            "..xx\n"
            "..xx\n");
}

TEST(CoupledNodes, LeavesOutDiagonals) {
  CoupledNodes nodes = nodes_of(3, 4, 1);
  nodes.own_block = {false, true, true};

  EXPECT_EQ(picture(coupled_nodes(nodes, {{0, 2, 0}}, 3)),
            "..x\n"
            ".x.\n"
            "x.x\n");
}

TEST(CoupledNodes, LetsTheSeedDecideWithinALevel) {
  std::vector<Coupling> couplings;
  for (std::int32_t node = 1; node < 100; ++node) couplings.push_back({0, node, 0});
  std::vector<std::string> pictures;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    pictures.push_back(picture(coupled_nodes(nodes_of(100, 110, 1), couplings, seed)));
  }
  std::ranges::sort(pictures);
  EXPECT_EQ(std::ranges::adjacent_find(pictures), pictures.end());
}

TEST(CoupledNodes, RefusesNumbersOfNonzerosThatItCannotReach) {
  EXPECT_EQ(refusal_of([] {
              coupled_nodes(nodes_of(2, 5, 1), {{0, 1, 0}}, 1);
            }),
            "5 nonzeros in 2 rows: no symmetric pattern with these blocks on the diagonal "
            "has so many");
  EXPECT_EQ(refusal_of([] {
              coupled_nodes(nodes_of(4, 6, 2), {{0, 1, 0}}, 1);
            }),
            "6 nonzeros in 4 rows: no symmetric pattern with these blocks on the diagonal "
            "has so many");
  EXPECT_EQ(refusal_of([] {
              coupled_nodes(nodes_of(3, 9, 1), {{0, 1, 0}}, 1);
            }),
            "9 nonzeros in 3 rows: the couplings hold 4 too few");
}

}  // namespace
}  // namespace sparsecast
