#include "core/matrix/transpose.hpp"

#include <gtest/gtest.h>

#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

TEST(Transpose, HasEveryEntryInItsPlace) {
  for (const int threads : {1, 4}) {
    const CsrMatrix<float> matrix = random_csr<float>(300, 70, 9, 5);
    const CsrMatrix<float> made = transpose(matrix.view(), threads);
    const CsrPattern pattern = transpose_pattern(matrix.view(), threads);
    ASSERT_EQ(made.rows, matrix.columns);
    ASSERT_EQ(made.columns, matrix.rows);
    EXPECT_EQ(made.row_offsets, pattern.row_offsets);
    EXPECT_EQ(made.column_indices, pattern.column_indices);
    check_csr(made.view());
    const CsrMatrix<float> back = transpose(made.view(), threads);
    EXPECT_EQ(back.row_offsets, matrix.row_offsets);
    EXPECT_EQ(back.column_indices, matrix.column_indices);
    EXPECT_EQ(back.values, matrix.values);
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
        std::int64_t found = made.row_offsets[matrix.column_indices[k]];
        while (made.column_indices[found] != row) ++found;
        ASSERT_EQ(made.values[found], matrix.values[k]);
      }
    }
  }
}

}  // namespace
}  // namespace sparsecast
