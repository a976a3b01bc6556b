#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>

#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/bcsr/cuda/device_bcsr.cuh"
#include "core/matrix/generate/generators.hpp"
#include "core/narrow_offsets.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class CudaConversionTest : public GpuTest {
 protected:
  void check(const CsrMatrix<T>& matrix, const Layout& layout) {
    const BcsrMatrix<T> expected = convert_to_bcsr(matrix.view(), {0, matrix.rows}, layout);
    const cuda::DeviceBcsr<T> converted(matrix.view(), layout, policy_);
    const BcsrMatrix<T> actual = converted.download();
    SCOPED_TRACE(to_string(layout));
    EXPECT_EQ(actual.block_size, expected.block_size);
    EXPECT_EQ(actual.rows, expected.rows);
    EXPECT_EQ(actual.columns, expected.columns);
    EXPECT_EQ(actual.block_rows, expected.block_rows);
    EXPECT_EQ(actual.block_offsets, expected.block_offsets);
    EXPECT_EQ(actual.row_index, expected.row_index);
    EXPECT_EQ(actual.block_columns, expected.block_columns);
    EXPECT_EQ(actual.values, expected.values);
    EXPECT_LE(converted.bytes(),
              cuda::DeviceBcsr<T>::bytes_bound(matrix.rows, matrix.nonzeros(), expected.blocks(),
                                               layout, policy_));
  }

  void check(const CsrMatrix<T>& matrix) {
    for (const int block_size : block_sizes) {
      for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
        Layout layout = block_layout(block_size);
        layout.row_order = order;
        check(matrix, layout);
      }
    }
  }

  CudaPolicy policy_;
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaConversionTest, ValueTypes);

TYPED_TEST(CudaConversionTest, EqualsTheHostsForEverySmallSize) {
  for (std::int64_t size = 1; size <= 33; size += 4) {
    this->check(random_csr<TypeParam>(size, size, 3, static_cast<unsigned>(size)));
  }
}

TYPED_TEST(CudaConversionTest, EqualsTheHostsForMoreBlockRowsThanOneThreadBlockAddsUp) {
  this->check(random_csr<TypeParam>(full_or_brief(40'000, 20'000), 700, 2, 6));
}

TYPED_TEST(CudaConversionTest, WidensOffsetsOf32BitsOfMoreRowsThanAPieceHas) {
  const auto matrix =
      convert_values<TypeParam>(laplacian(3, full_or_brief(700'000, 300'000)).view());
  const NarrowOffsets<TypeParam> narrow(matrix);
  const cuda::DeviceBcsr<TypeParam> converted(narrow.view(), block_layout(1), this->policy_);
  const BcsrMatrix<TypeParam> actual = converted.download();
  EXPECT_EQ(actual.block_offsets, matrix.row_offsets);
  EXPECT_EQ(actual.block_columns, matrix.column_indices);
  EXPECT_EQ(actual.values, matrix.values);
}

TYPED_TEST(CudaConversionTest, EqualsTheHostsForRectangularMatrices) {
  this->check(random_csr<TypeParam>(131, 17, 5, 1));
  this->check(random_csr<TypeParam>(17, 131, 40, 2));
}

TYPED_TEST(CudaConversionTest, EqualsTheHostsForFiniteElements) {
  this->check(convert_values<TypeParam>(fem_elasticity(1, 3, 1).view()));
}

TYPED_TEST(CudaConversionTest, EqualsTheHostsForEmptyRowsAndRowsBeyondAWindow) {
  CsrMatrix<TypeParam> matrix;
  matrix.rows = 40;
  matrix.columns = 100'003;
  matrix.row_offsets.push_back(0);
  std::mt19937 random(5);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t step = row % 7 == 3 ? 17 : row % 3 == 0 ? 60'000 : matrix.columns;
    for (std::int64_t j = row; j < matrix.columns && row % 5 != 0; j += step) {
      matrix.column_indices.push_back(static_cast<std::int32_t>(j));
      matrix.values.push_back(static_cast<TypeParam>(random_value(random)));
    }
    matrix.row_offsets.push_back(static_cast<std::int64_t>(matrix.column_indices.size()));
  }
  this->check(matrix);
}

TYPED_TEST(CudaConversionTest, EqualsTheHostsWithoutEntriesAndWithoutRows) {
  CsrMatrix<TypeParam> matrix;
  matrix.row_offsets.push_back(0);
  this->check(matrix);
  matrix.rows = matrix.columns = 5;
  matrix.row_offsets.resize(6, 0);
  this->check(matrix);
}

TYPED_TEST(CudaConversionTest, EqualsTheHostsWithWideOffsetsAndColumns) {
  const auto matrix = random_csr<TypeParam>(300, 280, 9, 4);
  this->policy_.narrow_columns = false;
  this->check(matrix);
  this->policy_.most_values_with_32_bit_offsets = 0;
  this->check(matrix);
  this->policy_.narrow_columns = true;
  this->check(matrix);
}

TYPED_TEST(CudaConversionTest, KeepsColumnsIn16BitsOnlyWhereAllAreNearTheFirstRowOf32) {
  const auto indices = [&](std::int64_t distance) {
    CsrMatrix<TypeParam> matrix;
    matrix.rows = 4;
    matrix.columns = 100'000;
    matrix.row_offsets = {0, 1, 2, 3, 5};
    matrix.column_indices = {0, 1, 2, 3, static_cast<std::int32_t>(3 + distance)};
    matrix.values.assign(5, TypeParam{1});
    this->check(matrix);
    return cuda::DeviceBcsr<TypeParam>(matrix.view(), block_layout(1), this->policy_)
        .bytes_read()
        .indices;
  };
  EXPECT_EQ(indices(32'764), 5 * 2);
  EXPECT_EQ(indices(32'765), 5 * 4);
}

TYPED_TEST(CudaConversionTest, NarrowsLongRowsAmongShortOnes) {
  const auto index_bytes = [&](std::int32_t last) {
    CsrMatrix<TypeParam> matrix;
    matrix.rows = 70;
    matrix.columns = 100'000;
    matrix.row_offsets = {0};
    for (std::int32_t row = 0; row < 70; ++row) {
      const std::int32_t step = row % 11 == 3 ? 13 : 9'000;
      for (std::int32_t j = row; j < 30'000; j += step) matrix.column_indices.push_back(j);
      if (row == 36) matrix.column_indices.push_back(last);  // ends a long one
      matrix.row_offsets.push_back(static_cast<std::int64_t>(matrix.column_indices.size()));
    }
    matrix.values.assign(matrix.column_indices.size(), TypeParam{1});
    this->check(matrix, block_layout(1));
    const cuda::DeviceBcsr<TypeParam> converted(matrix.view(), block_layout(1), this->policy_);
    return converted.bytes_read().indices / static_cast<double>(matrix.nonzeros());
  };
  EXPECT_EQ(index_bytes(31'000), 2);
  EXPECT_EQ(index_bytes(90'000), 4);
}

}  // namespace
}  // namespace sparsecast
