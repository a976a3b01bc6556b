#include "core/formats/paper/paper_spmv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

std::string refusal(const PaperSpmv& choice, int block_size) {
  try {
    paper_geometry(choice, block_size);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(PaperSpmv, HasTheParametersOfTable1) {
  for (const int threads : {128, 256}) {
    for (const int n : {1, 2, 4, 8}) {
      const auto geometry = [&](PaperMapping mapping) {
        return paper_geometry({mapping, PaperStorage::reordered, threads, 1}, n);
      };
      const PaperGeometry row = geometry(PaperMapping::block_row);
      EXPECT_EQ(row.blocks_at_once, threads / (n * n));
      EXPECT_EQ(row.block_rows, 1);
      const PaperGeometry warp = geometry(PaperMapping::warp);
      EXPECT_EQ(static_cast<double>(warp.blocks_at_once) / warp.steps_per_block, 32.0 / (n * n));
      EXPECT_EQ(warp.block_rows, threads / 32);
      const PaperGeometry multiple = geometry(PaperMapping::multiple_block_rows);
      EXPECT_EQ(multiple.blocks_at_once, 1);
      EXPECT_EQ(multiple.block_rows, threads / (n * n));
    }
  }
}

TEST(PaperSpmv, HalvesTheBlockRowsOfAThreadBlockWhereBxDoubles) {
  PaperSpmv choice;
  choice.blocks_at_once = 4;
  EXPECT_EQ(paper_geometry(choice, 2).threads_per_block_row, 16);
  EXPECT_EQ(paper_geometry(choice, 2).block_rows, 16);
  EXPECT_EQ(paper_geometry(choice, 8).block_rows, 1);
}

TEST(PaperSpmv, RefusesWhatItHasNoThreadsForInOneLine) {
  EXPECT_EQ(refusal({}, 3), "the paper's SpMV has no 3 x 3 blocks; use block size 1, 2, 4 or 8");
  EXPECT_EQ(refusal({}, 6), "the paper's SpMV has no 6 x 6 blocks; use block size 1, 2, 4 or 8");
  PaperSpmv choice;
  choice.blocks_at_once = 8;
  EXPECT_NE(refusal(choice, 8).find("Bx = 8; expected a power of two, at most 4"),
            std::string::npos);
  choice.blocks_at_once = 3;
  EXPECT_NE(refusal(choice, 1).find("Bx = 3"), std::string::npos);
  choice = {};
  choice.threads_per_block = 96;
  EXPECT_NE(refusal(choice, 1).find("96 threads"), std::string::npos);
}

TEST(PaperSpmv, PadsBlockRowsOfAThreadBlockToAMultipleOfBx) {
  // Lengths 1, 5, 0, 2, 3 for two block rows a thread block and Bx = 2.
  const std::vector<std::int64_t> offsets{0, 1, 6, 6, 8, 11};
  PaperGeometry geometry;
  geometry.block_rows = 2;
  geometry.blocks_at_once = 2;
  const Buffer<std::int64_t> padded = paper_thread_block_offsets(offsets, geometry);
  EXPECT_EQ(std::vector<std::int64_t>(padded.begin(), padded.end()),
            (std::vector<std::int64_t>{0, 12, 16, 24}));
}

/// y = A x as the threads of the GPU take it: by thread block, step, block row and block.
std::vector<double> multiply(const BcsrMatrix<double>& matrix,
                             const PaperArrangement<double>& arranged, PaperStorage storage,
                             const PaperGeometry& geometry, const std::vector<double>& x) {
  const int n = matrix.block_size;
  std::vector<double> y(static_cast<std::size_t>(matrix.rows), 0);
  const auto add_block = [&](std::int64_t stored_row, std::size_t at) {
    if (stored_row >= matrix.block_rows) return;
    const std::int64_t row = matrix.row_index.empty()
                                 ? stored_row
                                 : matrix.row_index[static_cast<std::size_t>(stored_row)];
    for (int i = 0; i < n; ++i) {
      if (row * n + i >= matrix.rows) continue;
      for (int j = 0; j < n; ++j) {
        const auto column = static_cast<std::size_t>(arranged.block_columns[at] * n + j);
        y[static_cast<std::size_t>(row * n + i)] +=
            arranged.values[at * static_cast<std::size_t>(n * n) +
                            static_cast<std::size_t>(i * n + j)] *
            x.at(column);
      }
    }
  };
  std::size_t at = 0;
  const std::int64_t together = geometry.block_rows;
  for (std::size_t tb = 0; tb + 1 < arranged.offsets.size(); ++tb) {
    const std::int64_t blocks = arranged.offsets[tb + 1] - arranged.offsets[tb];
    const auto first = static_cast<std::int64_t>(tb) * together;
    const std::int64_t length = blocks / together;
    if (storage == PaperStorage::padded) {
      for (std::int64_t local = 0; local < together; ++local) {
        for (std::int64_t k = 0; k < length; ++k) add_block(first + local, at++);
      }
    } else {
      for (std::int64_t step = 0; step < length / geometry.blocks_at_once; ++step) {
        for (std::int64_t local = 0; local < together; ++local) {
          for (int b = 0; b < geometry.blocks_at_once; ++b) add_block(first + local, at++);
        }
      }
    }
  }
  EXPECT_EQ(at, arranged.block_columns.size());
  return y;
}

TEST(PaperSpmv, LaysBlocksOutInTheOrderInWhichThreadsTakeThem) {
  const auto csr = random_csr<double>(203, 203, 9, 7);
  std::vector<double> x(216, 0);
  for (std::size_t i = 0; i < 203; ++i) x[i] = 1 + 0.01 * static_cast<double>(i);
  std::vector<double> expected(203, 0);
  for (std::size_t row = 0; row < 203; ++row) {
    for (auto k = static_cast<std::size_t>(csr.row_offsets[row]);
         k < static_cast<std::size_t>(csr.row_offsets[row + 1]); ++k) {
      expected[row] += csr.values[k] * x[static_cast<std::size_t>(csr.column_indices[k])];
    }
  }
  for (const int n : {1, 2, 4, 8}) {
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      Layout layout = block_layout(n);
      layout.row_order = order;
      const auto matrix = convert_to_bcsr(csr.view(), {0, 203}, layout);
      for (const PaperStorage storage : {PaperStorage::padded, PaperStorage::reordered}) {
        for (const int bx : {1, 2}) {
          const PaperGeometry geometry =
              paper_geometry({PaperMapping::multiple_block_rows, storage, 128, bx}, n);
          const auto arranged = arrange_as_in_paper(matrix, storage, geometry);
          const auto y = multiply(matrix, arranged, storage, geometry, x);
          for (std::size_t row = 0; row < y.size(); ++row) {
            ASSERT_NEAR(y[row], expected[row], 1e-12) << n << ", " << bx << ", row " << row;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace sparsecast
