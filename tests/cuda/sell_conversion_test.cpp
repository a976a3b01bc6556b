#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/formats/registry.hpp"
#include "core/formats/sell/cuda/conversion.cuh"
#include "core/matrix/csr_rows.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "cuda/fetch.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class SellConversionTest : public GpuTest {
 protected:
  void check(const CsrMatrix<T>& matrix, const Segment& segment) {
    for (const Layout& layout : all_layouts()) {
      if (layout.format != "sell") continue;
      SCOPED_TRACE(to_string(layout));
      const SellMatrix<T> expected = convert_to_sell(matrix.view(), segment, layout);
      const CsrView<T> whole = matrix.view();
      const CsrRows<T> own(whole, segment);
      cuda::DeviceCsr<T> uploaded(own.view(), 1);
      uploaded.first_row = segment.begin_row;
      const auto actual = cuda::make_sell(uploaded, layout);
      EXPECT_EQ(fetch(actual.row_index), expected.row_index);
      EXPECT_EQ(fetch(actual.group_begins), expected.group_begins);
      EXPECT_EQ(fetch(actual.column_begins), expected.column_begins);
      EXPECT_EQ(fetch(actual.bases), expected.bases);
      EXPECT_EQ(fetch(actual.columns), expected.column_bytes);
      EXPECT_EQ(fetch(actual.values), expected.values);
    }
  }
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(SellConversionTest, ValueTypes);

TYPED_TEST(SellConversionTest, EqualsTheHostsForEverySmallSize) {
  for (std::int64_t size = 1; size <= 70; size += 3) {
    this->check(random_csr<TypeParam>(size, size, 3, static_cast<unsigned>(size)), {0, size});
  }
}

TYPED_TEST(SellConversionTest, EqualsTheHostsOnDiagonalsAndElsewhere) {
  const std::int64_t n = full_or_brief(40, 20);
  const auto grid = convert_values<TypeParam>(laplacian(27, n, n, n).view());
  this->check(grid, {0, grid.rows});
  this->check(grid, {grid.rows / 3, grid.rows - 5});
  this->check(random_csr<TypeParam>(full_or_brief(40'000, 5'000), 100'000, 9, 7),
              {0, full_or_brief(40'000, 5'000)});
}

}  // namespace
}  // namespace sparsecast
