#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class CudaFusedKernelsTest : public GpuTest {
 protected:
  static constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

  std::unique_ptr<PreparedSchedule<T>> prepare(const char* step, std::int64_t size) {
    CudaBackend backend(0, policy_);
    const Schedule schedule = single_step_schedule(step);
    if constexpr (std::is_same_v<T, float>) {
      return backend.prepare_vectors_f32(schedule, size);
    } else {
      return backend.prepare_vectors_f64(schedule, size);
    }
  }

  std::vector<T> random(std::int64_t size) { return random_vector<T>(size, random_); }

  /// Away from 0, as D^(-1/2) is.
  std::vector<T> positive(std::int64_t size) {
    std::vector<T> values = random(size);
    for (T& value : values) value = std::abs(value) + static_cast<T>(0.25);
    return values;
  }

  static std::vector<T> get(const PreparedSchedule<T>& prepared, const char* name,
                            std::size_t size) {
    std::vector<T> values(size);
    prepared.get_vector(name, values);
    return values;
  }

  static void expect_near(const std::vector<T>& actual, std::size_t i, double expected) {
    ASSERT_NEAR(static_cast<double>(actual[i]), expected,
                60 * epsilon * std::max(1.0, std::abs(expected)))
        << "at " << i;
  }

  /// The tolerance is for the sums' own rounding; all that is added is positive.
  static void expect_sum(const PreparedSchedule<T>& prepared, const char* name, long double sum) {
    const auto expected = static_cast<double>(sum);
    EXPECT_NEAR(prepared.scalar(name), expected, std::max(30 * epsilon, 1e-12) * expected) << name;
  }

  static double square(double value) { return value * value; }

  CudaPolicy policy_;
  std::mt19937 random_{2012};
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaFusedKernelsTest, ValueTypes);

/// The last but one with several rounds of every block, the last with more than caches hold.
std::vector<std::int64_t> sizes() {
  if (full_or_brief(1, 0) == 0) return {1, 257, 4099};
  return {1, 3, 4, 31, 257, 2047, 4099, 400'003, 17'000'003};
}

TYPED_TEST(CudaFusedKernelsTest, RunCgStart) {
  for (const std::int64_t size : sizes()) {
    SCOPED_TRACE(size);
    this->policy_.finishing_blocks_per_multiprocessor = 1;
    const auto prepared = this->prepare("CGStart", size);
    const auto b = this->random(size);
    const auto c = this->positive(size);
    const auto u = this->random(size);
    prepared->set_vector("b", b);
    prepared->set_vector("c", c);
    prepared->set_vector("u", u);
    prepared->set_vector("z", poison<TypeParam>(size));
    prepared->set_vector("v", poison<TypeParam>(size));
    prepared->run(1);
    const auto z = this->get(*prepared, "z", b.size());
    const auto v = this->get(*prepared, "v", b.size());
    long double z_r = 0;
    long double r_r = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      const double r = static_cast<double>(b[i]) - u[i];
      this->expect_near(z, i, r * c[i] * c[i]);
      ASSERT_EQ(v[i], z[i]);
      z_r += this->square(r * c[i]);
      r_r += this->square(r);
    }
    this->expect_sum(*prepared, "alpha", z_r);
    this->expect_sum(*prepared, "r_r", r_r);
  }
}

TYPED_TEST(CudaFusedKernelsTest, RunCgResidual) {
  for (const std::int64_t size : sizes()) {
    SCOPED_TRACE(size);
    this->policy_.finishing_blocks_per_multiprocessor = 1;
    const auto prepared = this->prepare("CGResidual", size);
    const auto u = this->random(size);
    const auto c = this->positive(size);
    const auto before = this->random(size);
    prepared->set_vector("u", u);
    prepared->set_vector("c", c);
    prepared->set_vector("z", before);
    prepared->set_scalar("t", 0.75);
    prepared->run(1);
    const auto z = this->get(*prepared, "z", u.size());
    long double z_r = 0;
    long double r_r = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double expected = before[i] - 0.75 * c[i] * c[i] * u[i];
      this->expect_near(z, i, expected);
      z_r += this->square(expected / c[i]);
      r_r += this->square(expected / c[i] / c[i]);
    }
    this->expect_sum(*prepared, "beta", z_r);
    this->expect_sum(*prepared, "r_r", r_r);
  }
}

TYPED_TEST(CudaFusedKernelsTest, RunCgDirection) {
  for (const std::int64_t size : sizes()) {
    SCOPED_TRACE(size);
    const auto prepared = this->prepare("CGDirection", size);
    const auto z = this->random(size);
    const auto v_before = this->random(size);
    const auto x_before = this->random(size);
    prepared->set_vector("z", z);
    prepared->set_vector("v", v_before);
    prepared->set_vector("x", x_before);
    prepared->set_scalar("t", 0.75);
    prepared->set_scalar("s", -0.375);
    prepared->run(1);
    const auto v = this->get(*prepared, "v", z.size());
    const auto x = this->get(*prepared, "x", z.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
      this->expect_near(x, i, x_before[i] + 0.75 * v_before[i]);
      this->expect_near(v, i, z[i] - 0.375 * v_before[i]);
    }
  }
}

TYPED_TEST(CudaFusedKernelsTest, CountEveryRowOnceInTheDotProductOfSpmv) {
  using T = TypeParam;
  // Long rows in one piece and in several, short ones, and none.
  CsrMatrix<T> matrix;
  matrix.rows = matrix.columns = 6'000;
  matrix.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int64_t count = row % 900 == 7 ? 100 + row / 2 : row % 9;
    for (std::int64_t j = 0; j < count; ++j) {
      matrix.column_indices.push_back(static_cast<std::int32_t>(j * matrix.columns / count));
      matrix.values.push_back(static_cast<T>(random_value(this->random_)));
    }
    matrix.row_offsets.push_back(matrix.row_offsets.back() + count);
  }
  const auto v = this->random(matrix.columns);
  struct Way {
    int piece;
    int groups;  ///< of a thread block: 2 and a warp a row take several spans of 132 blocks
    int lanes;
  };
  for (const auto& [piece, groups, lanes] : {Way{64, 16, 0}, Way{64, 2, 32}, Way{256, 16, 0}}) {
    if (piece == 256 && full_or_brief(1, 0) == 0) continue;
    for (const int block_size : block_sizes) {
      for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
        Layout layout = block_layout(block_size);
        layout.row_order = order;
        SCOPED_TRACE(to_string(layout));
        CudaPolicy policy;
        policy.values_per_long_piece = piece * block_size * block_size;
        policy.finishing_blocks_per_multiprocessor = 1;
        policy.groups_per_finishing_block = groups;
        policy.lanes_per_row = lanes;
        CudaBackend backend(0, policy);
        const auto prepared =
            backend.prepare(single_step_schedule("SpMVDot"), matrix.view(), layout);
        prepared->set_vector("v", v);
        prepared->run(1);
        const double first = prepared->scalar("p_Ap");
        const auto u = this->get(*prepared, "u", v.size());
        double expected = 0;
        double magnitude = 0;
        for (std::size_t i = 0; i < u.size(); ++i) {
          expected += static_cast<double>(u[i]) * v[i];
          magnitude += std::abs(static_cast<double>(u[i]) * v[i]);
        }
        EXPECT_NEAR(first, expected, 1e-13 * magnitude);
        for (int repeat = 0; repeat < full_or_brief(5, 1); ++repeat) {
          prepared->set_scalar("p_Ap", 12345);
          prepared->run(1);
          EXPECT_EQ(prepared->scalar("p_Ap"), first);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sparsecast
