#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/cpu/cpu_kernels.hpp"
#include "core/cpu/instruction_sets.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/relative_difference.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/cg_schedule.hpp"

namespace sparsecast {
namespace {

template <class T>
constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
class FusedCgKernelsTest : public testing::Test {
 protected:
  std::vector<T> random(std::int64_t size) {
    std::vector<T> values;
    for (std::int64_t i = 0; i < size; ++i) values.push_back(static_cast<T>(random_value(random_)));
    return values;
  }
  /// Away from 0, as D^(-1/2) is.
  std::vector<T> positive(std::int64_t size) {
    std::vector<T> values = random(size);
    for (T& value : values) value = std::abs(value) + static_cast<T>(0.25);
    return values;
  }

  std::mt19937 random_{2012};
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(FusedCgKernelsTest, ValueTypes);

TYPED_TEST(FusedCgKernelsTest, ComputeAndSumTheirRangeOnlyInEveryInstructionSet) {
  using T = TypeParam;
  for (const std::int64_t size : {1, 3, 15, 16, 17, 33, 100, 1030}) {
    const auto begin = static_cast<std::size_t>(size / 3);
    const auto n = static_cast<std::size_t>(size);
    const auto a = this->random(size);
    const auto b = this->random(size);
    const auto c = this->positive(size);
    const auto d = this->random(size);
    for (std::size_t k = 0; k < instruction_sets().size(); ++k) {
      SCOPED_TRACE(std::string(instruction_sets()[k]) + ", " + std::to_string(size));
      if (cpu_kernels<T>(k) == nullptr) continue;
      const CpuKernels<T>& kernels = *cpu_kernels<T>(k);
      const auto first = static_cast<std::int64_t>(begin);
      const std::vector<T> poison(n + 8, static_cast<T>(12345));
      const auto expect = [&](const std::vector<T>& actual, const std::vector<T>& before,
                              const auto& expected) {
        for (std::size_t i = 0; i < actual.size(); ++i) {
          if (i < begin || i >= n) {
            EXPECT_EQ(actual[i], before[i]) << i;
          } else {
            EXPECT_NEAR(actual[i], expected(i), 100 * epsilon<T>) << i;
          }
        }
      };
      const auto expect_sums = [&](const PartialSums& sums, const auto& z) {
        double z_r = 0;
        double r_r = 0;
        for (std::size_t i = begin; i < n; ++i) {
          z_r += std::pow(z(i) / c[i], 2);
          r_r += std::pow(z(i) / c[i] / c[i], 2);
        }
        EXPECT_NEAR(sums.values[0], z_r, 30 * epsilon<T> * z_r);
        EXPECT_NEAR(sums.values[1], r_r, 30 * epsilon<T> * r_r);
      };
      {
        auto z = poison, v = poison;
        const PartialSums sums =
            kernels.cg_start(first, size, a.data(), c.data(), b.data(), z.data(), v.data());
        const auto expected = [&](std::size_t i) {
          return (static_cast<double>(a[i]) - b[i]) * c[i] * c[i];
        };
        expect(z, poison, expected);
        expect(v, poison, expected);
        expect_sums(sums, expected);
      }
      {
        auto z = d;
        const PartialSums sums =
            kernels.cg_residual(first, size, static_cast<T>(0.75), a.data(), c.data(), z.data());
        const auto expected = [&](std::size_t i) {
          return static_cast<double>(d[i]) - 0.75 * c[i] * c[i] * a[i];
        };
        expect(z, d, expected);
        expect_sums(sums, expected);
      }
      {
        auto v = d, x = b;
        kernels.cg_direction(first, size, static_cast<T>(0.75), static_cast<T>(-0.375), a.data(),
                             v.data(), x.data());
        expect(v, d, [&](std::size_t i) { return a[i] - 0.375 * d[i]; });
        expect(x, b, [&](std::size_t i) { return b[i] + 0.75 * d[i]; });
      }
    }
  }
}

template <class T>
class ThreadedFusedCg : public testing::Test {
 protected:
  /// x after so many iterations of a schedule from x = 0.
  static std::vector<T> solution(const char* schedule, const CsrMatrix<double>& matrix, int devices,
                                 int threads, const Layout& layout, std::int64_t iterations) {
    const CsrMatrix<T> converted = convert_values<T>(matrix.view());
    CpuPolicy eager;
    eager.values_per_thread = 1;
    CpuBackend backend(devices, threads, eager);
    const auto prepared = backend.prepare(built_in(schedule).schedule, converted.view(), layout);
    std::mt19937 random(7);
    std::vector<T> b;
    std::vector<T> c;
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      b.push_back(static_cast<T>(random_value(random)));
      for (auto e = matrix.row_offsets[static_cast<std::size_t>(row)];
           e < matrix.row_offsets[static_cast<std::size_t>(row) + 1]; ++e) {
        if (matrix.column_indices[static_cast<std::size_t>(e)] == row) {
          c.push_back(static_cast<T>(1 / std::sqrt(matrix.values[static_cast<std::size_t>(e)])));
        }
      }
    }
    prepared->set_vector("b", b);
    prepared->set_vector("c", c);
    EXPECT_EQ(prepared->run_setup().outcome, Outcome::iteration_limit);
    EXPECT_EQ(prepared->run(iterations).iterations, iterations);
    std::vector<T> x(b.size());
    prepared->get_vector("x", x);
    return x;
  }
};
TYPED_TEST_SUITE(ThreadedFusedCg, ValueTypes);

TYPED_TEST(ThreadedFusedCg, HasTheIteratesOfAlgorithm1OnOneDeviceAndSeveral) {
  using T = TypeParam;
  const CsrMatrix<double> matrix = fem_elasticity(1, 5, 3);
  const double tolerance = std::is_same_v<T, float> ? 2e-4 : 1e-12;
  for (const int block_size : {1, 3, 4}) {
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      Layout layout = block_layout(block_size);
      layout.row_order = order;
      for (const std::int64_t iterations : {1, 2, 20}) {
        const auto expected = this->solution("algorithm1", matrix, 1, 1, layout, iterations);
        for (const int devices : {1, 2, 3}) {
          for (const int threads : {1, 2}) {
            EXPECT_LT(relative_difference(
                          this->solution("fused", matrix, devices, threads, layout, iterations),
                          expected),
                      tolerance)
                << to_string(layout) << ", " << devices << " devices of " << threads;
          }
        }
      }
    }
  }
}

TYPED_TEST(ThreadedFusedCg, GivesTheSameBitsInEveryRun) {
  const CsrMatrix<double> matrix = laplacian(5, 33, 31);
  for (const int devices : {1, 2, 3}) {
    const auto first = this->solution("fused", matrix, devices, 2, Layout{}, 40);
    for (int repeat = 0; repeat < 5; ++repeat) {
      EXPECT_EQ(this->solution("fused", matrix, devices, 2, Layout{}, 40), first);
    }
  }
}

TEST(ThreadedFusedCgCounters, AreThoseOfTheSchedule) {
  const CsrMatrix<double> matrix = laplacian(5, 20, 30);
  for (const int devices : {1, 3}) {
    CpuBackend backend(devices, 2);
    const Schedule schedule = fused_cg_schedule();
    const auto prepared = backend.prepare(schedule, matrix.view(), block_layout(2));
    const std::vector<double> ones(600, 1);
    prepared->set_vector("b", ones);
    prepared->set_vector("c", ones);
    prepared->run_setup();
    const RunCounters before = prepared->counters();
    ASSERT_EQ(prepared->run(7).iterations, 7);
    const RunCounters after = prepared->counters();
    EXPECT_EQ(after.kernels - before.kernels, 3 * 7);
    EXPECT_EQ(after.launches - before.launches, 3 * 7);
    EXPECT_EQ(after.reductions, 0);
    EXPECT_EQ(after.exchanges - before.exchanges, 7);
    EXPECT_EQ(after.barriers - before.barriers, 3 * 7);
    BytesByKind bytes;
    for (const SegmentShape& shape : prepared->segments()) {
      for (const Step& step : schedule.iteration) {
        const BytesByKind moved = bytes_moved(step, shape, Precision::f64);
        bytes.values += moved.values;
        bytes.vector_reads += moved.vector_reads;
        bytes.vector_writes += moved.vector_writes;
        if (devices > 1) bytes.exchanged += moved.exchanged;
      }
    }
    EXPECT_EQ(after.bytes.values - before.bytes.values, 7 * bytes.values);
    EXPECT_EQ(after.bytes.vector_reads - before.bytes.vector_reads, 7 * bytes.vector_reads);
    EXPECT_EQ(after.bytes.vector_writes - before.bytes.vector_writes, 7 * bytes.vector_writes);
    EXPECT_EQ(after.bytes.exchanged - before.bytes.exchanged, 7 * bytes.exchanged);
  }
}

}  // namespace
}  // namespace sparsecast
