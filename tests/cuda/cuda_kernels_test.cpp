#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/reference_product.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
std::unique_ptr<PreparedSchedule<T>> prepare_vectors(Backend& backend, const Schedule& schedule,
                                                     std::int64_t unknowns) {
  if constexpr (std::is_same_v<T, float>) {
    return backend.prepare_vectors_f32(schedule, unknowns);
  } else {
    return backend.prepare_vectors_f64(schedule, unknowns);
  }
}

template <class T>
class CudaKernelsTest : public GpuTest {
 protected:
  /// Runs one step of Algorithm 1 on random operands and compares every output of
  /// `expected(operands, s)`, in double and in the order of the operands; empty where the step does
  /// not write.
  using Vectors = std::vector<std::vector<double>>;
  void check_step(const char* name, const std::vector<bool>& read,
                  const std::function<Vectors(const Vectors&, double)>& expected) {
    for (const std::int64_t size : {1, 2, 3, 4, 5, 31, 257, 1000, 4099}) {
      SCOPED_TRACE(std::string(name) + " of " + std::to_string(size));
      const Schedule schedule = single_step_schedule(name);
      CudaBackend backend(0, policy_);
      const auto prepared = prepare_vectors<T>(backend, schedule, size);
      const Step& step = schedule.iteration[0];
      Vectors operands;
      for (std::size_t k = 0; k < read.size(); ++k) {
        const auto values = read[k] ? random_vector<T>(size, random_) : poison<T>(size);
        const auto slot = static_cast<std::size_t>(step.vectors[k]);
        prepared->set_vector(schedule.vectors[slot].name, values);
        operands.emplace_back(values.begin(), values.end());
      }
      if (!schedule.scalars.empty()) prepared->set_scalar(schedule.scalars[0].name, 0.75);
      EXPECT_EQ(prepared->run(1).iterations, 1);
      const Vectors results = expected(operands, 0.75);
      ASSERT_EQ(results.size(), step.vectors.size());
      for (std::size_t k = 0; k < results.size(); ++k) {
        const auto slot = static_cast<std::size_t>(step.vectors[k]);
        std::vector<T> actual(static_cast<std::size_t>(size));
        prepared->get_vector(schedule.vectors[slot].name, actual);
        for (std::size_t i = 0; i < actual.size(); ++i) {
          const double value = results[k].empty() ? operands[k][i] : results[k][i];
          EXPECT_NEAR(actual[i], value,
                      results[k].empty() ? 0 : 60 * epsilon<T> * std::max(1.0, std::abs(value)))
              << "operand " << k << " at " << i;
        }
      }
    }
  }

  static std::vector<double> by_row(std::size_t size,
                                    const std::function<double(std::size_t)>& value) {
    std::vector<double> result;
    for (std::size_t i = 0; i < size; ++i) result.push_back(value(i));
    return result;
  }

  void check_product(const CsrMatrix<T>& matrix, const Layout& layout) {
    const Schedule schedule = single_step_schedule("SpMV");
    CudaBackend backend(0, policy_);
    const auto prepared = backend.prepare(schedule, matrix.view(), layout);
    // Twice: what a multiplication leaves behind must not disturb the next.
    for (int round = 0; round < 2; ++round) {
      const auto input = random_vector<T>(matrix.columns, random_);
      prepared->set_vector("v", input);
      prepared->set_vector("u", poison<T>(matrix.rows));
      prepared->run(1);
      std::vector<T> output(static_cast<std::size_t>(matrix.rows));
      prepared->get_vector("u", output);
      const ReferenceProduct expected = reference_product(matrix, input);
      for (std::size_t row = 0; row < output.size(); ++row) {
        ASSERT_NEAR(output[row], expected.sums[row], 16 * epsilon<T> * expected.magnitudes[row])
            << to_string(layout) << ", row " << row << " of " << matrix.rows << ", "
            << policy_.lanes_per_row << " lanes";
      }
    }
  }

  void check_product(const CsrMatrix<T>& matrix) {
    for (const int block_size : block_sizes) {
      for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
        Layout layout = block_layout(block_size);
        layout.row_order = order;
        check_product(matrix, layout);
      }
    }
  }

  CsrMatrix<T> matrix_with_row_lengths(std::int64_t rows, std::int64_t columns,
                                       const std::function<std::int64_t(std::int64_t)>& length) {
    CsrMatrix<T> matrix;
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.row_offsets.push_back(0);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t count = std::min(length(row), columns);
      for (std::int64_t j = 0; j < count; ++j) {
        matrix.column_indices.push_back(static_cast<std::int32_t>(j * columns / count));
        matrix.values.push_back(static_cast<T>(random_value(random_)));
      }
      matrix.row_offsets.push_back(matrix.row_offsets.back() + count);
    }
    return matrix;
  }

  CudaPolicy policy_;
  std::mt19937 random_{2012};
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaKernelsTest, ValueTypes);

TYPED_TEST(CudaKernelsTest, MultiplyMatricesOfEverySmallSize) {
  for (std::int64_t size = 1; size <= 33; size += full_or_brief(2, 8)) {
    this->check_product(random_csr<TypeParam>(size, size, 4, static_cast<unsigned>(size)));
  }
}

TYPED_TEST(CudaKernelsTest, MultiplyRectangularMatrices) {
  this->check_product(random_csr<TypeParam>(131, 17, 5, 1));
  this->check_product(random_csr<TypeParam>(17, 131, 40, 2));
}

TYPED_TEST(CudaKernelsTest, MultiplyWithEveryNumberOfLanesAndWidthOfOffsetsAndColumns) {
  const auto matrix = random_csr<TypeParam>(700, 650, 12, 3);
  for (const auto& [most, narrow] : {std::pair{0, false}, std::pair{0, true},
                                     std::pair{1 << 30, false}, std::pair{1 << 30, true}}) {
    this->policy_.most_values_with_32_bit_offsets = most;
    this->policy_.narrow_columns = narrow;
    for (int lanes = 1; lanes <= 32; lanes *= static_cast<int>(full_or_brief(2, 32))) {
      this->policy_.lanes_per_row = lanes;
      this->check_product(matrix);
    }
  }
}

TYPED_TEST(CudaKernelsTest, MultiplyRowsOfEveryLength) {
  this->check_product(
      this->matrix_with_row_lengths(300, 300, [](std::int64_t row) { return row * 37 % 301; }));
}

TYPED_TEST(CudaKernelsTest, MultiplyEmptyRowsAndOneFullRow) {
  this->check_product(this->matrix_with_row_lengths(
      50, 10'007, [](std::int64_t row) { return row == 31 ? 10'007 : 0; }));
}

TYPED_TEST(CudaKernelsTest, MultiplyLongRowsCutIntoPieces) {
  this->policy_.values_per_long_piece = 64;
  for (const int lanes : {0, 4, 32}) {
    this->policy_.lanes_per_row = lanes;
    this->check_product(this->matrix_with_row_lengths(
        400, 5'000, [](std::int64_t row) { return row % 50 == 7 ? 3'000 + row : row % 9; }));
  }
}

TYPED_TEST(CudaKernelsTest, MultiplyManyLongRows) {
  this->check_product(
      this->matrix_with_row_lengths(64, 9'000, [](std::int64_t row) { return 4'000 + 70 * row; }));
}

TYPED_TEST(CudaKernelsTest, MultiplyMoreLongRowsThanAreFetchedAtOnce) {
  this->policy_.lanes_per_row = 1;
  this->check_product(this->matrix_with_row_lengths(
      2'000, 5'000, [](std::int64_t row) { return row % 4 == 1 ? 40 : 1; }));
}

TYPED_TEST(CudaKernelsTest, RunCg1) {
  this->check_step("CG1", {true, true, true, false, false, false, false, false},
                   [this](const auto& o, double) {
                     const std::size_t size = o[0].size();
                     const auto row = [&](auto value) { return this->by_row(size, value); };
                     const auto r = row([&](std::size_t i) { return o[0][i] - o[2][i]; });
                     const auto w = row([&](std::size_t i) { return o[1][i] * r[i]; });
                     const auto v = row([&](std::size_t i) { return o[1][i] * w[i]; });
                     const auto w2 = row([&](std::size_t i) { return w[i] * w[i]; });
                     const auto v2 = row([&](std::size_t i) { return v[i] * v[i]; });
                     return std::vector<std::vector<double>>{{}, {}, r, w, v, w2, v2, v};
                   });
}

TYPED_TEST(CudaKernelsTest, RunCg2) {
  this->check_step("CG2", {true, false}, [this](const auto& o, double) {
    return std::vector<std::vector<double>>{
        {}, this->by_row(o[0].size(), [&](std::size_t i) { return o[0][i] * o[0][i]; })};
  });
}

TYPED_TEST(CudaKernelsTest, RunCg3) {
  this->check_step("CG3", {true, true, false}, [this](const auto& o, double) {
    return std::vector<std::vector<double>>{
        {}, {}, this->by_row(o[0].size(), [&](std::size_t i) { return o[0][i] * o[1][i]; })};
  });
}

TYPED_TEST(CudaKernelsTest, RunCg4) {
  this->check_step("CG4", {true, true, true, true, true, false, false},
                   [this](const auto& o, double t) {
                     const std::size_t size = o[0].size();
                     const auto row = [&](auto value) { return this->by_row(size, value); };
                     const auto x = row([&](std::size_t i) { return o[3][i] + t * o[0][i]; });
                     const auto r = row([&](std::size_t i) { return o[4][i] - t * o[1][i]; });
                     const auto w = row([&](std::size_t i) { return o[2][i] * r[i]; });
                     const auto w2 = row([&](std::size_t i) { return w[i] * w[i]; });
                     return std::vector<std::vector<double>>{{}, {}, {}, x, r, w, w2};
                   });
}

TYPED_TEST(CudaKernelsTest, RunCg5) {
  this->check_step("CG5", {true, true, true, false, false}, [this](const auto& o, double s) {
    const std::size_t size = o[0].size();
    const auto row = [&](auto value) { return this->by_row(size, value); };
    const auto v = row([&](std::size_t i) { return o[0][i] * o[1][i] + s * o[2][i]; });
    const auto v2 = row([&](std::size_t i) { return v[i] * v[i]; });
    return std::vector<std::vector<double>>{{}, {}, v, v2, v};
  });
}

TYPED_TEST(CudaKernelsTest, RunCopy) {
  this->check_step("Copy", {true, false}, [](const auto& o, double) {
    return std::vector<std::vector<double>>{{}, o[0]};
  });
}

TYPED_TEST(CudaKernelsTest, TakeTwoPacksAThreadWhenVectorsAreLong) {
  this->policy_.packs_per_multiprocessor_for_two = 0;
  this->check_step("CG3", {true, true, false}, [this](const auto& o, double) {
    return std::vector<std::vector<double>>{
        {}, {}, this->by_row(o[0].size(), [&](std::size_t i) { return o[0][i] * o[1][i]; })};
  });
}

TYPED_TEST(CudaKernelsTest, SumVectorsAnyNumberOfTimes) {
  using T = TypeParam;
  for (const std::int64_t size :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, std::int64_t{255}, std::int64_t{1'024},
        std::int64_t{5'001}, full_or_brief(3'000'001, 300'001)}) {
    for (const bool variable : {false, true}) {
      for (const int count : {1, 2, 5}) {
        if (size > 10'000 && count == 5) continue;
        const Schedule schedule = load_schedule(count, variable);
        CudaBackend backend(0, this->policy_);
        const auto prepared = prepare_vectors<T>(backend, schedule, size);
        const std::int64_t runs = full_or_brief(11, 3);
        double expected = 0;
        for (int k = 1; k <= count; ++k) {
          const auto values = random_vector<T>(size, this->random_);
          prepared->set_vector("load" + std::to_string(k), values);
          for (const T value : values) expected += static_cast<double>(value);
        }
        prepared->set_scalar("sum", 12345);
        EXPECT_EQ(prepared->run(runs).iterations, runs);
        EXPECT_NEAR(prepared->scalar("sum"), expected, 1e-8)
            << size << ", " << variable << ", " << count;
        EXPECT_EQ(prepared->counters().kernels, runs);
      }
    }
  }
}

TYPED_TEST(CudaKernelsTest, ReduceInDouble) {
  using T = TypeParam;
  CudaBackend backend(0, this->policy_);
  const Schedule schedule = single_step_schedule("Red");
  const auto prepared = prepare_vectors<T>(backend, schedule, 40'000);
  std::vector<T> values(40'000, T{1});
  values[17] = static_cast<T>(1e9);
  prepared->set_vector(schedule.vectors[0].name, values);
  prepared->run(1);
  EXPECT_EQ(prepared->scalar(schedule.scalars[0].name), 1e9 + 39'999);
}

TYPED_TEST(CudaKernelsTest, WriteTheSumOfTheReadVectors) {
  using T = TypeParam;
  for (const std::int64_t size : {1, 7, 64, 1'030}) {
    for (const auto& [reads, writes] : {std::pair{1, 1}, std::pair{3, 2}, std::pair{7, 1}}) {
      const Schedule schedule = mixed_schedule(reads, writes);
      CudaBackend backend(0, this->policy_);
      const auto prepared = prepare_vectors<T>(backend, schedule, size);
      std::vector<double> expected(static_cast<std::size_t>(size), 0);
      for (int k = 1; k <= reads; ++k) {
        const auto values = random_vector<T>(size, this->random_);
        prepared->set_vector("read" + std::to_string(k), values);
        for (std::size_t i = 0; i < values.size(); ++i) expected[i] += values[i];
      }
      for (int k = 1; k <= writes; ++k) {
        prepared->set_vector("write" + std::to_string(k), poison<T>(size));
      }
      prepared->run(1);
      for (int k = 1; k <= writes; ++k) {
        std::vector<T> actual(static_cast<std::size_t>(size));
        prepared->get_vector("write" + std::to_string(k), actual);
        for (std::size_t i = 0; i < actual.size(); ++i) {
          EXPECT_NEAR(actual[i], expected[i], 20 * epsilon<T>) << "at " << i;
        }
      }
    }
  }
}

using CudaMemoryTest = GpuTest;

TEST_F(CudaMemoryTest, TooSmallIsRefusedWithBothNumbersBeforeAnythingIsAllocated) {
  CudaBackend backend(0);
  try {
    backend.prepare_vectors_f64(load_schedule(2, false), 1'000'000'000'000);
    FAIL() << "16 TB fit";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("needs 16000."), std::string::npos) << text;
    EXPECT_NE(text.find(" are free"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST_F(CudaMemoryTest, OfAPreparedScheduleIsCounted) {
  CudaBackend backend(0);
  const auto prepared = backend.prepare_vectors_f64(load_schedule(3, false), 1'000'000);
  const std::vector<std::int64_t> bytes = prepared->bytes_per_device();
  ASSERT_EQ(bytes.size(), 1u);
  EXPECT_GE(bytes[0], 24'000'000);
  EXPECT_LE(bytes[0], 24'100'000);
}

using CudaRegistryTest = GpuTest;

TEST_F(CudaRegistryTest, RefusesUnknownKernelsAndWrongOperands) {
  CudaBackend backend(0);
  Schedule schedule = single_step_schedule("CG3");
  schedule.iteration[0].name = "CG9";
  EXPECT_THROW(backend.prepare_vectors_f64(schedule, 10), Error);
  schedule = single_step_schedule("CG3");
  schedule.iteration[0].vectors.pop_back();
  EXPECT_THROW(backend.prepare_vectors_f64(schedule, 10), Error);
  EXPECT_THROW(backend.prepare_vectors_f64(single_step_schedule("SpMV"), 10), Error);
}

}  // namespace
}  // namespace sparsecast
