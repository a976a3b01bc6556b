#include "core/cuda/vendor/vendor_gemv.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "core/base/error.hpp"
#include "core/reference_product.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class VendorGemvTest : public GpuTest {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(VendorGemvTest, ValueTypes);

TYPED_TEST(VendorGemvTest, MultipliesRowsThatFollowEachOther) {
  using T = TypeParam;
  std::mt19937 random(78);
  const std::int64_t rows = 300;
  const std::int64_t columns = 128;
  const std::vector<T> values = random_vector<T>(rows * columns, random);
  const std::vector<T> input = random_vector<T>(columns, random);
  VendorGemv<T> product(0, rows, columns, values);
  product.set_input(input);
  product.run(11);
  std::vector<T> output = poison<T>(rows);
  product.get_output(output);
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    double magnitude = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      const double term = static_cast<double>(values[static_cast<std::size_t>(row * columns + j)]) *
                          static_cast<double>(input[static_cast<std::size_t>(j)]);
      sum += term;
      magnitude += std::abs(term);
    }
    EXPECT_NEAR(static_cast<double>(output[static_cast<std::size_t>(row)]), sum,
                64 * std::numeric_limits<T>::epsilon() * magnitude)
        << "row " << row;
  }
}

TYPED_TEST(VendorGemvTest, RefusesAMatrixOfAnotherSize) {
  using T = TypeParam;
  const std::vector<T> values(11);
  EXPECT_THROW(VendorGemv<T>(0, 3, 4, values), Error);
}

}  // namespace
}  // namespace sparsecast
