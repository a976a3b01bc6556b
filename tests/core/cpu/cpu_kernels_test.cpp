#include "core/cpu/cpu_kernels.hpp"
#include "core/cpu/instruction_sets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/random_csr.hpp"
#include "core/reference_product.hpp"

namespace sparsecast {
namespace {

constexpr double poison = 12345.0;

template <class T>
constexpr double tolerance = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());

/// Every kernel in every instruction set that this processor has.
template <class T>
class CpuKernelsTest : public testing::Test {
 protected:
  std::vector<T> random_vector(std::int64_t size, std::int64_t padding = 0) {
    std::vector<T> values(static_cast<std::size_t>(size + padding), T{0});
    for (std::int64_t i = 0; i < size; ++i) {
      values[static_cast<std::size_t>(i)] = static_cast<T>(random_value(random_));
    }
    return values;
  }

  template <class Check>
  static void for_each_instruction_set(const Check& check) {
    for (const std::string_view name : instruction_sets()) {
      SCOPED_TRACE(std::string(name));
      check(cpu_kernels<T>(name));
    }
  }

  static void expect_close(T actual, double expected, double magnitude) {
    EXPECT_NEAR(static_cast<double>(actual), expected, tolerance<T> * magnitude);
  }

  /// Multiplies in every instruction set and layout and compares with a reference in double, also
  /// for a part of the rows, and sees that nothing else is written.
  void check_product(const CsrMatrix<T>& matrix) {
    const std::vector<T> input = random_vector(matrix.columns, input_padding);
    const ReferenceProduct expected = reference_product(matrix, input);
    for (const int block_size : block_sizes) {
      for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
        Layout layout = block_layout(block_size);
        layout.row_order = order;
        SCOPED_TRACE(to_string(layout) + ", " + std::to_string(matrix.rows) + " rows");
        const auto blocked = convert_to_bcsr(matrix.view(), {0, matrix.rows}, layout);
        const std::int64_t cut = blocked.block_rows / 3;
        for_each_instruction_set([&](const CpuKernels<T>& kernels) {
          std::vector<T> output(static_cast<std::size_t>(matrix.rows + 8), static_cast<T>(poison));
          kernels.spmv(pointers(blocked), cut, blocked.block_rows, input.data(), output.data());
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
          kernels.spmv(pointers(blocked), 0, cut, input.data(), output.data());
          for (std::size_t i = 0; i < static_cast<std::size_t>(matrix.rows); ++i) {
            SCOPED_TRACE("row " + std::to_string(i));
            expect_close(output[i], expected.sums[i], expected.magnitudes[i]);
          }
          for (std::size_t i = static_cast<std::size_t>(matrix.rows); i < output.size(); ++i) {
            EXPECT_EQ(output[i], static_cast<T>(poison)) << "behind the last row";
          }
        });
      }
    }
  }

  std::mt19937 random_{2012};
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CpuKernelsTest, ValueTypes);

/// Beyond the caches blocks of 3 x 3 are fetched ahead, which must not look behind the last one.
TYPED_TEST(CpuKernelsTest, MultiplyBlocksThatFillMoreThanTheCache) {
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

  this->for_each_instruction_set([&](const CpuKernels<TypeParam>& kernels) {
    std::vector<TypeParam> output(static_cast<std::size_t>(matrix.rows),
                                  static_cast<TypeParam>(poison));
    kernels.spmv(pointers(blocked), 0, 7, input.data(), output.data());
    kernels.spmv(pointers(blocked), 7, blocked.block_rows, input.data(), output.data());
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

TYPED_TEST(CpuKernelsTest, MultiplyMatricesOfEverySizeAroundVectorWidthsAndOverhangs) {
  for (std::int64_t size = 1; size <= 40; ++size) {
    this->check_product(random_csr<TypeParam>(size, size, 4, static_cast<unsigned>(size)));
  }
}

TYPED_TEST(CpuKernelsTest, MultiplyRectangularMatrices) {
  this->check_product(random_csr<TypeParam>(131, 17, 5, 1));
  this->check_product(random_csr<TypeParam>(17, 131, 40, 2));
}

TYPED_TEST(CpuKernelsTest, MultiplyRowsOfEveryLength) {
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

TYPED_TEST(CpuKernelsTest, MultiplyLongRunsOfRowsOfOneLength) {
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

TYPED_TEST(CpuKernelsTest, MultiplyEmptyRowsAndOneFullRow) {
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
  for (const std::string_view name : instruction_sets()) {
    const auto& kernels = cpu_kernels<float>(name);
    EXPECT_EQ(kernels.sum(0, 4000, values.data()), 1e9 + 3999) << name;
    const float* vector = values.data();
    EXPECT_EQ(kernels.load(0, 4000, &vector, 1), 1e9 + 3999) << name;
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

TEST(CpuKernels, UseTheBestInstructionSetByDefault) {
  EXPECT_EQ(cpu_kernels<float>().instruction_set, instruction_sets().back());
  EXPECT_EQ(cpu_kernels<double>().instruction_set, instruction_sets().back());
  EXPECT_THROW(cpu_kernels<double>("mmx"), Error);
}

}  // namespace
}  // namespace sparsecast
