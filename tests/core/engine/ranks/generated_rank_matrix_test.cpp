#include "core/engine/ranks/generated_rank_matrix.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/engine/ranks/given_cuts.hpp"
#include "core/engine/ranks/rank_solve.hpp"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/matrix/generate/convection_diffusion.hpp"
#include "core/matrix/generate/generators.hpp"

namespace sparsecast {
namespace {

void expect_same(const HaloExchange& a, const HaloExchange& b) {
  ASSERT_EQ(a.sends.size(), b.sends.size());
  for (std::size_t k = 0; k < a.sends.size(); ++k) {
    EXPECT_EQ(a.sends[k].rank, b.sends[k].rank);
    EXPECT_EQ(a.sends[k].places, b.sends[k].places);
  }
  ASSERT_EQ(a.receives.size(), b.receives.size());
  for (std::size_t k = 0; k < a.receives.size(); ++k) {
    EXPECT_EQ(a.receives[k].rank, b.receives[k].rank);
    EXPECT_EQ(a.receives[k].place, b.receives[k].place);
    EXPECT_EQ(a.receives[k].count, b.receives[k].count);
  }
}

void expect_same(const RankMatrix& a, const RankMatrix& b) {
  EXPECT_EQ(a.part.rows.begins, b.part.rows.begins);
  EXPECT_EQ(a.part.own.begin_row, b.part.own.begin_row);
  EXPECT_EQ(a.part.own.end_row, b.part.own.end_row);
  EXPECT_EQ(a.matrix.rows, b.matrix.rows);
  EXPECT_EQ(a.matrix.columns, b.matrix.columns);
  EXPECT_EQ(a.matrix.row_offsets, b.matrix.row_offsets);
  EXPECT_EQ(a.matrix.column_indices, b.matrix.column_indices);
  EXPECT_EQ(a.matrix.values, b.matrix.values);
  EXPECT_EQ(a.nonzeros, b.nonzeros);
  EXPECT_EQ(a.duplicates, b.duplicates);
  expect_same(a.part.halo, b.part.halo);
}

std::vector<GridStencil> stencils() {
  using enum ConvectionDifferences;
  return {laplacian_stencil(27, 5, 4, 6),
          laplacian_stencil(9, 9, 7),
          laplacian_stencil(3, 61),
          laplacian_stencil(5, 1, 40),
          convection_diffusion_stencil(4, 3, 5, 7.5, central),
          convection_diffusion_stencil(11, 6, 1, 20, upwind)};
}

TEST(ThreadedGeneratedRankMatrix, IsWhatRanksMakeOfTheEntriesOfTheWhole) {
  for (const GridStencil& stencil : stencils()) {
    const CsrMatrix<double> whole = all_rows(stencil);
    for (const int size : {1, 2, 3, 7}) {
      for (const RankMatrixOptions& options : {RankMatrixOptions{.threads = 1},
                                               {.rows_together = 3, .with_columns = true},
                                               {.with_columns = true, .threads = 2},
                                               {.rows_together = 2, .row_alignment = 32},
                                               {.rows_together = 2, .cut = dealing_cut()}}) {
        SCOPED_TRACE(std::to_string(whole.rows) + " rows on " + std::to_string(size) +
                     " ranks, by " + std::to_string(options.rows_together));
        ThreadRanks::run(size, [&](Communicator& ranks) {
          expect_same(generate_rank_matrix(ranks, stencil, options),
                      distribute(ranks, whole.rows, known_entries(whole, ranks), options));
        });
      }
    }
  }
}

TEST(ThreadedGeneratedRankMatrix, MayHaveFewerRowsThanRanks) {
  const GridStencil stencil = laplacian_stencil(7, 1, 3, 1);
  const CsrMatrix<double> whole = all_rows(stencil);
  ThreadRanks::run(8, [&](Communicator& ranks) {
    expect_same(generate_rank_matrix(ranks, stencil, {}),
                distribute(ranks, 3, known_entries(whole, ranks), {}));
  });
}

/// More columns of others than are kept before they are made few.
TEST(ThreadedGeneratedRankMatrix, HasAHaloOfManyRows) {
  const GridStencil stencil = laplacian_stencil(27, 90, 90, 5);
  const CsrMatrix<double> whole = all_rows(stencil);
  ThreadRanks::run(3, [&](Communicator& ranks) {
    expect_same(generate_rank_matrix(ranks, stencil, {}),
                distribute(ranks, whole.rows, known_entries(whole, ranks), {}));
  });
}

}  // namespace
}  // namespace sparsecast
