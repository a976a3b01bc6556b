#include "core/formats/bcsr/cpu/bcsr_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/cpu/kernels_test.hpp"
#include "core/random_csr.hpp"
#include "core/reference_product.hpp"

namespace sparsecast {
namespace {

/// Products in every instruction set that this processor has.
template <class T>
class BcsrKernelsTest : public KernelsTest<T, BcsrKernels<T>, bcsr_kernels<T>> {
 protected:
  /// Multiplies in every instruction set and layout and compares with a reference in double, also
  /// for a part of the rows, and sees that nothing else is written.
  void check_product(const CsrMatrix<T>& matrix) {
    const std::vector<T> input = this->random_vector(matrix.columns, input_padding);
    const ReferenceProduct expected = reference_product(matrix, input);
    for (const int block_size : block_sizes) {
      for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
        Layout layout = block_layout(block_size);
        layout.row_order = order;
        SCOPED_TRACE(to_string(layout) + ", " + std::to_string(matrix.rows) + " rows");
        const auto blocked = convert_to_bcsr(matrix.view(), {0, matrix.rows}, layout);
        const std::int64_t cut = blocked.block_rows / 3;
        this->for_each_instruction_set([&](const BcsrKernels<T>& kernels) {
          std::vector<T> output(static_cast<std::size_t>(matrix.rows + 8), static_cast<T>(poison));
          kernels.multiply(pointers(blocked), cut, blocked.block_rows, input.data(), output.data());
          std::vector<bool> written(static_cast<std::size_t>(matrix.rows), false);
          for (std::int64_t k = cut; k < blocked.block_rows; ++k) {
            const std::int64_t row =
                blocked.row_index.empty() ? k : blocked.row_index[static_cast<std::size_t>(k)];
            for (std::int64_t i = row * block_size;
                 i < std::min((row + 1) * block_size, matrix.rows); ++i) {
              written[static_cast<std::size_t>(i)] = true;
            }
          }
          for (std::size_t i = 0; i < static_cast<std::size_t>(matrix.rows); ++i) {
            if (!written[i]) {
              EXPECT_EQ(output[i], static_cast<T>(poison)) << "row " << i;
            }
          }
          kernels.multiply(pointers(blocked), 0, cut, input.data(), output.data());
          for (std::size_t i = 0; i < static_cast<std::size_t>(matrix.rows); ++i) {
            SCOPED_TRACE("row " + std::to_string(i));
            this->expect_close(output[i], expected.sums[i], expected.magnitudes[i]);
          }
          for (std::size_t i = static_cast<std::size_t>(matrix.rows); i < output.size(); ++i) {
            EXPECT_EQ(output[i], static_cast<T>(poison)) << "behind the last row";
          }
        });
      }
    }
  }
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(BcsrKernelsTest, ValueTypes);

/// Beyond the caches blocks of 3 x 3 are fetched ahead, which must not look behind the last one.
TYPED_TEST(BcsrKernelsTest, MultiplyBlocksThatFillMoreThanTheCache) {
  CsrMatrix<TypeParam> matrix;
  matrix.rows = 600;
  matrix.columns = 14400;
  for (std::int64_t row = 0; row <= matrix.rows; ++row) {
    matrix.row_offsets.push_back(row * matrix.columns);
  }
  const auto nonzeros = static_cast<std::size_t>(matrix.row_offsets.back());
  matrix.column_indices.resize(nonzeros);
  matrix.values.resize(nonzeros);
  for (std::size_t k = 0; k < nonzeros; ++k) {
    matrix.column_indices[k] =
        static_cast<std::int32_t>(k % static_cast<std::size_t>(matrix.columns));
    matrix.values[k] = static_cast<TypeParam>(0.25 * static_cast<double>(1 + k % 7));
  }
  const std::vector<TypeParam> input = this->random_vector(matrix.columns, input_padding);
  const auto blocked = convert_to_bcsr(matrix.view(), {0, matrix.rows}, block_layout(3));
  ASSERT_GT(blocked.values.size() * sizeof(TypeParam), std::size_t{32} << 20);

  this->for_each_instruction_set([&](const BcsrKernels<TypeParam>& kernels) {
    std::vector<TypeParam> output(static_cast<std::size_t>(matrix.rows),
                                  static_cast<TypeParam>(poison));
    kernels.multiply(pointers(blocked), 0, 7, input.data(), output.data());
    kernels.multiply(pointers(blocked), 7, blocked.block_rows, input.data(), output.data());
    for (std::size_t row = 0; row < output.size(); ++row) {
      double expected = 0;
      for (std::size_t column = 0; column < input.size() - input_padding; ++column) {
        expected +=
            static_cast<double>(matrix.values[row * (input.size() - input_padding) + column]) *
            static_cast<double>(input[column]);
      }
      this->expect_close(output[row], expected, 14400);
    }
  });
}

TYPED_TEST(BcsrKernelsTest, MultiplyMatricesOfEverySizeAroundVectorWidthsAndOverhangs) {
  for (std::int64_t size = 1; size <= 40; ++size) {
    this->check_product(random_csr<TypeParam>(size, size, 4, static_cast<unsigned>(size)));
  }
}

TYPED_TEST(BcsrKernelsTest, MultiplyRectangularMatrices) {
  this->check_product(random_csr<TypeParam>(131, 17, 5, 1));
  this->check_product(random_csr<TypeParam>(17, 131, 40, 2));
}

TYPED_TEST(BcsrKernelsTest, MultiplyRowsOfEveryLength) {
  // Row i has i entries, in a scattered order of lengths too.
  for (const std::int64_t stride : {1, 37}) {
    CsrMatrix<TypeParam> matrix;
    matrix.rows = 100;
    matrix.columns = 100;
    matrix.row_offsets.push_back(0);
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      const std::int64_t length = row * stride % 101;
      for (std::int64_t j = 0; j < length; ++j) {
        matrix.column_indices.push_back(static_cast<std::int32_t>(j));
        matrix.values.push_back(static_cast<TypeParam>(random_value(this->random_)));
      }
      matrix.row_offsets.push_back(matrix.row_offsets.back() + length);
    }
    this->check_product(matrix);
  }
}

TYPED_TEST(BcsrKernelsTest, MultiplyLongRunsOfRowsOfOneLength) {
  for (const std::int64_t length : {0, 1, 2, 3, 5, 7, 8, 9, 27}) {
    CsrMatrix<TypeParam> matrix;
    matrix.rows = 203;
    matrix.columns = 203;
    matrix.row_offsets.push_back(0);
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      for (std::int64_t j = 0; j < length; ++j) {
        const std::int64_t column = std::min(row, matrix.columns - length) + j;
        matrix.column_indices.push_back(static_cast<std::int32_t>(column));
        matrix.values.push_back(static_cast<TypeParam>(random_value(this->random_)));
      }
      matrix.row_offsets.push_back(matrix.row_offsets.back() + length);
    }
    this->check_product(matrix);
  }
}

TYPED_TEST(BcsrKernelsTest, MultiplyEmptyRowsAndOneFullRow) {
  CsrMatrix<TypeParam> matrix;
  matrix.rows = 50;
  matrix.columns = 1003;
  matrix.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    if (row == 31) {
      for (std::int64_t column = 0; column < matrix.columns; ++column) {
        matrix.column_indices.push_back(static_cast<std::int32_t>(column));
        matrix.values.push_back(static_cast<TypeParam>(random_value(this->random_)));
      }
    }
    matrix.row_offsets.push_back(static_cast<std::int64_t>(matrix.values.size()));
  }
  this->check_product(matrix);
}

TYPED_TEST(BcsrKernelsTest, MultiplyAndSumTheProductWithTheInput) {
  using T = TypeParam;
  for (const std::int64_t size : {1, 7, 50, 4'300}) {
    const auto matrix = random_csr<T>(size, size, 6, 2012);
    const std::vector<T> input = this->random_vector(size, input_padding);
    for (const int block_size : block_sizes) {
      for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
        Layout layout = block_layout(block_size);
        layout.row_order = order;
        // Of a segment in the middle, as one of several devices has it.
        const std::int64_t begin = size / 3 / block_size * block_size;
        const auto segment = convert_to_bcsr(matrix.view(), {begin, size}, layout);
        const std::int64_t rows = size - begin;
        SCOPED_TRACE(to_string(layout));
        this->for_each_instruction_set([&](const BcsrKernels<T>& kernels) {
          std::vector<T> expected(static_cast<std::size_t>(rows));
          kernels.multiply(pointers(segment), 0, segment.block_rows, input.data(), expected.data());
          std::vector<T> output(static_cast<std::size_t>(rows), static_cast<T>(poison));
          const std::int64_t cut = segment.block_rows / 2;
          double sum = 0;
          for (const auto& [from, to] :
               {std::pair{std::int64_t{0}, cut}, std::pair{cut, segment.block_rows}}) {
            sum +=
                kernels
                    .multiply_dot(pointers(segment), from, to, begin, input.data(), output.data())
                    .values[0];
          }
          for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(output[i], expected[i], 6 * tolerance<T>) << i;
          }
          double product = 0;
          double magnitude = 0;
          for (std::size_t i = 0; i < expected.size(); ++i) {
            const double term = static_cast<double>(output[i]) *
                                static_cast<double>(input[i + static_cast<std::size_t>(begin)]);
            product += term;
            magnitude += std::abs(term);
          }
          EXPECT_NEAR(sum, product, 1e-13 * magnitude);
        });
      }
    }
  }
}

}  // namespace
}  // namespace sparsecast
