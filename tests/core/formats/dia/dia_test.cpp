#include "core/formats/dia/dia.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

TEST(OccupiedDiagonals, OfAGridAreThoseOfItsStencil) {
  const CsrMatrix<double> grid = laplacian(5, 40, 25);
  EXPECT_EQ(occupied_diagonals(grid.view().pattern(), {0, grid.rows}),
            (std::vector<std::int64_t>{-40, -1, 0, 1, 40}));
  // The first rows look up nothing above them, the last nothing below.
  EXPECT_EQ(occupied_diagonals(grid.view().pattern(), {0, 40}),
            (std::vector<std::int64_t>{-1, 0, 1, 40}));
  EXPECT_EQ(occupied_diagonals(grid.view().pattern(), {960, 1000}),
            (std::vector<std::int64_t>{-40, -1, 0, 1}));
  EXPECT_TRUE(occupied_diagonals(grid.view().pattern(), {5, 5}).empty());
  EXPECT_THROW(occupied_diagonals(grid.view().pattern(), {0, 1001}), Error);
}

TEST(ThreadedOccupiedDiagonals, AreTheSameOnAnyNumberOfThreads) {
  const CsrMatrix<float> matrix = random_csr<float>(20000, 15000, 3, 5);
  const auto alone = occupied_diagonals(matrix.view().pattern(), {100, 19000}, 1);
  EXPECT_EQ(occupied_diagonals(matrix.view().pattern(), {100, 19000}, 4), alone);
  EXPECT_GT(alone.size(), 10000u);
}

TEST(ConvertToDia, PutsEveryEntryInItsPlaceAndZerosElsewhere) {
  const CsrMatrix<double> matrix = random_csr<double>(90, 70, 4, 6);
  for (const Segment segment : {Segment{0, 90}, Segment{13, 50}, Segment{7, 7}}) {
    const DiaMatrix<double> dia = convert_to_dia(matrix.view(), segment);
    ASSERT_EQ(dia.rows, segment.rows());
    ASSERT_EQ(dia.stride % 64, 0);
    ASSERT_EQ(std::ssize(dia.values), dia.diagonals() * dia.stride);
    for (std::int64_t k = 0; k < dia.diagonals(); ++k) {
      for (std::int64_t i = 0; i < dia.stride; ++i) {
        double expected = 0;
        const std::int64_t row = segment.begin_row + i;
        if (i < dia.rows) {
          for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
            if (matrix.column_indices[e] == row + dia.offsets[k]) expected = matrix.values[e];
          }
        }
        ASSERT_EQ(dia.values[k * dia.stride + i], expected) << "diagonal " << k << ", row " << i;
      }
    }
  }
}

TEST(ConvertToDia, RefusesWhatCouldNeverPay) {
  const CsrMatrix<double> scattered = random_csr<double>(4000, 4000, 4, 7);
  try {
    convert_to_dia(scattered.view(), {0, scattered.rows});
    FAIL() << "accepted";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("layout dia: the nonzeros lie on ")) << message;
    EXPECT_TRUE(message.ends_with("(at most 4 times could pay); use csr")) << message;
  }
  // Small ones take little, however much of it are zeros.
  const CsrMatrix<double> small = random_csr<double>(500, 500, 4, 8);
  EXPECT_GT(convert_to_dia(small.view(), {0, small.rows}).diagonals(), 100);
}

}  // namespace
}  // namespace sparsecast
