#include "core/cpu/cpu_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/cpu/kernels_test.hpp"
#include "core/random_csr.hpp"
#include "core/schedule/diagonal_blocks.hpp"

namespace sparsecast {
namespace {

/// Every kernel in every instruction set that this processor has.
template <class T>
class CpuKernelsTest : public KernelsTest<T, CpuKernels<T>, cpu_kernels<T>> {};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CpuKernelsTest, ValueTypes);

TYPED_TEST(CpuKernelsTest, RunEveryVectorKernelOnItsRangeOnly) {
  using T = TypeParam;
  for (const std::int64_t size : {1, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 1030}) {
    const std::int64_t begin = size / 3;
    const std::int64_t end = size;
    const auto n = static_cast<std::size_t>(size);
    const auto a = this->random_vector(size);
    const auto b = this->random_vector(size);
    const auto c = this->random_vector(size);
    const auto d = this->random_vector(size);
    const T scalar = static_cast<T>(0.75);
    this->for_each_instruction_set([&](const CpuKernels<T>& kernels) {
      const std::vector<T> unwritten(n + 8, static_cast<T>(poison));
      // Compares an output with a function of the index; poison or the old value elsewhere.
      const auto expect = [&](const std::vector<T>& actual, const std::vector<T>& before,
                              const auto& expected) {
        for (std::size_t i = 0; i < actual.size(); ++i) {
          if (i < static_cast<std::size_t>(begin) || i >= static_cast<std::size_t>(end)) {
            EXPECT_EQ(actual[i], before[i]) << "at " << i;
          } else {
            this->expect_close(actual[i], expected(i), 8);
          }
        }
      };
      const auto value = [](const std::vector<T>& vector, std::size_t i) {
        return static_cast<double>(vector[i]);
      };
      {
        auto r = d;
        auto w = unwritten, v_part = unwritten, t1 = unwritten, t2 = unwritten, v = unwritten;
        kernels.cg1(begin, end, a.data(), c.data(), r.data(), w.data(), v_part.data(), t1.data(),
                    t2.data(), v.data());
        const auto residual = [&](std::size_t i) { return value(a, i) - value(d, i); };
        const auto scaled = [&](std::size_t i) { return value(c, i) * residual(i); };
        const auto direction = [&](std::size_t i) { return value(c, i) * scaled(i); };
        expect(r, d, residual);
        expect(w, unwritten, scaled);
        expect(v_part, unwritten, direction);
        expect(v, unwritten, direction);
        for (std::size_t i = static_cast<std::size_t>(begin); i < n; ++i) {
          this->expect_close(t1[i], scaled(i) * scaled(i), 60);
          this->expect_close(t2[i], direction(i) * direction(i), 60);
        }
        EXPECT_EQ(t1[n], static_cast<T>(poison));
        EXPECT_EQ(t2[n], static_cast<T>(poison));
      }
      {
        auto t1 = unwritten;
        kernels.cg2(begin, end, a.data(), t1.data());
        expect(t1, unwritten, [&](std::size_t i) { return value(a, i) * value(a, i); });
      }
      {
        auto t1 = unwritten;
        kernels.cg3(begin, end, a.data(), b.data(), t1.data());
        expect(t1, unwritten, [&](std::size_t i) { return value(a, i) * value(b, i); });
      }
      {
        auto x = c, r = d;
        auto w = unwritten, t2 = unwritten;
        kernels.cg4(begin, end, scalar, a.data(), b.data(), c.data(), x.data(), r.data(), w.data(),
                    t2.data());
        const auto residual = [&](std::size_t i) { return value(d, i) - 0.75 * value(b, i); };
        const auto scaled = [&](std::size_t i) { return value(c, i) * residual(i); };
        expect(x, c, [&](std::size_t i) { return value(c, i) + 0.75 * value(a, i); });
        expect(r, d, residual);
        expect(w, unwritten, scaled);
        for (std::size_t i = static_cast<std::size_t>(begin); i < n; ++i) {
          this->expect_close(t2[i], scaled(i) * scaled(i), 60);
        }
        EXPECT_EQ(t2[n], static_cast<T>(poison));
      }
      {
        auto v_part = d;
        auto t3 = unwritten, v = unwritten;
        kernels.cg5(begin, end, scalar, c.data(), a.data(), v_part.data(), t3.data(), v.data());
        const auto direction = [&](std::size_t i) {
          return value(c, i) * value(a, i) + 0.75 * value(d, i);
        };
        expect(v_part, d, direction);
        expect(v, unwritten, direction);
        for (std::size_t i = static_cast<std::size_t>(begin); i < n; ++i) {
          this->expect_close(t3[i], direction(i) * direction(i), 60);
        }
        EXPECT_EQ(t3[n], static_cast<T>(poison));
      }
    });
  }
}

TYPED_TEST(CpuKernelsTest, SumRangesOfVectors) {
  using T = TypeParam;
  for (const std::int64_t size : {0, 1, 7, 31, 32, 33, 500, 511, 512, 513, 3000}) {
    const std::int64_t begin = size / 5;
    std::vector<std::vector<T>> vectors;
    std::vector<const T*> reads;
    std::vector<double> sums;
    for (int k = 0; k < 9; ++k) {
      vectors.push_back(this->random_vector(size));
      double sum = 0;
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(size); ++i) {
        sum += static_cast<double>(vectors.back()[i]);
      }
      sums.push_back(sum);
    }
    for (const auto& vector : vectors) reads.push_back(vector.data());
    this->for_each_instruction_set([&](const CpuKernels<T>& kernels) {
      EXPECT_NEAR(kernels.sum(begin, size, reads[0]), sums[0], 1e-10);
      double expected = 0;
      for (int count = 1; count <= 9; ++count) {
        expected += sums[static_cast<std::size_t>(count - 1)];
        EXPECT_NEAR(kernels.load(begin, size, reads.data(), count), expected, 1e-10);
      }
    });
  }
}

TEST(CpuKernels, SumInDoubleWhateverTheValues) {
  std::vector<float> values(4000, 1.0f);
  values[0] = 1e9f;
  for (std::size_t k = 0; k < instruction_sets().size(); ++k) {
    const auto* kernels = cpu_kernels<float>(k);
    if (kernels == nullptr) continue;
    EXPECT_EQ(kernels->sum(0, 4000, values.data()), 1e9 + 3999) << instruction_sets()[k];
    const float* vector = values.data();
    EXPECT_EQ(kernels->load(0, 4000, &vector, 1), 1e9 + 3999) << instruction_sets()[k];
  }
}

TYPED_TEST(CpuKernelsTest, WriteTheSumOfTheReadVectors) {
  using T = TypeParam;
  for (const std::int64_t size : {1, 15, 16, 100, 513, 1100}) {
    const std::int64_t begin = size / 4;
    std::vector<std::vector<T>> sources;
    for (int k = 0; k < 3; ++k) sources.push_back(this->random_vector(size));
    const std::vector<const T*> read{sources[0].data(), sources[1].data(), sources[2].data()};
    this->for_each_instruction_set([&](const CpuKernels<T>& kernels) {
      for (int reads = 0; reads <= 3; ++reads) {
        std::vector<std::vector<T>> destinations(
            2, std::vector<T>(static_cast<std::size_t>(size + 4), static_cast<T>(poison)));
        const std::vector<T*> write{destinations[0].data(), destinations[1].data()};
        kernels.mixed(begin, size, read.data(), reads, write.data(), 2);
        for (const auto& destination : destinations) {
          for (std::size_t i = 0; i < destination.size(); ++i) {
            if (i < static_cast<std::size_t>(begin) || i >= static_cast<std::size_t>(size)) {
              EXPECT_EQ(destination[i], static_cast<T>(poison));
            } else {
              double expected = 0;
              for (int k = 0; k < reads; ++k) {
                expected += static_cast<double>(sources[static_cast<std::size_t>(k)][i]);
              }
              this->expect_close(destination[i], expected, 4);
            }
          }
        }
      }
    });
  }
}

TYPED_TEST(CpuKernelsTest, MultiplyByBlocksOnTheirRangeOnly) {
  using T = TypeParam;
  constexpr std::int64_t rows = 61;
  for (int block_rows = 1; block_rows <= largest_diagonal_block; ++block_rows) {
    std::vector<std::vector<T>> columns;
    std::vector<const T*> pointers;
    for (int k = 0; k < block_rows; ++k) columns.push_back(this->random_vector(rows));
    for (const std::vector<T>& column : columns) pointers.push_back(column.data());
    const std::vector<T> input = this->random_vector(rows);
    this->for_each_instruction_set([&](const CpuKernels<T>& kernels) {
      for (const std::int64_t first_row : {0, 5}) {
        for (const std::int64_t begin : {0, 7, 60}) {
          std::vector<T> output(rows + 8, static_cast<T>(poison));
          const CpuBlocks<T> blocks{pointers.data(), block_rows, first_row, rows};
          kernels.multiply_blocks(begin, rows, blocks, input.data(), output.data());
          for (std::int64_t i = 0; i < rows; ++i) {
            const std::int64_t first = i - (first_row + i) % block_rows;
            double expected = 0;
            for (std::int64_t k = 0; k < block_rows; ++k) {
              if (first + k < 0 || first + k >= rows) continue;
              expected += static_cast<double>(columns[static_cast<std::size_t>(k)][i]) *
                          static_cast<double>(input[first + k]);
            }
            if (i < begin) {
              EXPECT_EQ(output[i], static_cast<T>(poison)) << i;
            } else {
              EXPECT_NEAR(output[i], expected, sizeof(T) == 4 ? 1e-5 : 1e-13) << i;
            }
          }
          EXPECT_EQ(output[rows], static_cast<T>(poison));
        }
      }
    });
  }
}

TEST(CpuKernels, AreThereForEveryProcessorAndTheBestAreTaken) {
  ASSERT_NE(cpu_kernels<float>(0), nullptr);
  ASSERT_NE(cpu_kernels<double>(0), nullptr);
#if defined(__x86_64__)
  EXPECT_EQ(&cpu_kernels<float>(), cpu_kernels<float>(instruction_sets().size() - 1));
  EXPECT_EQ(&cpu_kernels<double>(), cpu_kernels<double>(instruction_sets().size() - 1));
#endif
}

}  // namespace
}  // namespace sparsecast
