#include "core/cuda/vector/two_kernel_dot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/base/error.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class TwoKernelDotTest : public GpuTest {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(TwoKernelDotTest, ValueTypes);

TYPED_TEST(TwoKernelDotTest, SumsInAsManyRoundsAsItTakes) {
  using T = TypeParam;
  std::mt19937 random(16);
  // One value, whole and broken blocks, and three rounds of 128.
  for (const std::int64_t size : {1L, 127L, 512L, 513L, 4096L, 70'001L, 3'000'000L}) {
    const std::vector<T> a = random_vector<T>(size, random);
    const std::vector<T> b = random_vector<T>(size, random);
    double sum = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double term = static_cast<double>(a[i]) * static_cast<double>(b[i]);
      sum += term;
      magnitude += std::abs(term);
    }
    for (const int values : two_kernel_dot_sizes) {
      TwoKernelDot<T> dot(0, values, a, b);
      dot.run(9);
      EXPECT_NEAR(static_cast<double>(dot.result()), sum,
                  64 * std::numeric_limits<T>::epsilon() * magnitude)
          << size << " values, " << values << " a block";
      const T first = dot.result();
      dot.run(1);
      EXPECT_EQ(dot.result(), first);
    }
  }
}

TYPED_TEST(TwoKernelDotTest, RefusesOtherSizes) {
  using T = TypeParam;
  const std::vector<T> values(300, T{1});
  const std::vector<T> fewer(299, T{1});
  const std::vector<T> none;
  EXPECT_THROW(TwoKernelDot<T>(0, 64, values, values), Error);
  EXPECT_THROW(TwoKernelDot<T>(0, 384, values, values), Error);
  EXPECT_THROW(TwoKernelDot<T>(0, 512, values, fewer), Error);
  EXPECT_THROW(TwoKernelDot<T>(0, 512, none, none), Error);
}

}  // namespace
}  // namespace sparsecast
