#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/formats/conformance.hpp"
#include "core/formats/csr_adaptive/cuda/conversion.cuh"
#include "core/formats/registry.hpp"
#include "core/matrix/csr_rows.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "cuda/fetch.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class CsrAdaptiveTest : public GpuTest {
 protected:
  void check(const CsrMatrix<T>& matrix, const Segment& segment) {
    const AdaptiveMatrix<T> expected = convert_to_adaptive(matrix.view(), segment);
    const CsrView<T> whole = matrix.view();
    const CsrRows<T> own(whole, segment);
    cuda::DeviceCsr<T> uploaded(own.view(), 1);
    uploaded.first_row = segment.begin_row;
    const auto actual = cuda::make_adaptive(std::move(uploaded));
    EXPECT_EQ(fetch(actual.blocks), expected.blocks);
    EXPECT_EQ(fetch(actual.row_ends), expected.row_ends);
    EXPECT_EQ(fetch(actual.columns), expected.column_bytes);
    EXPECT_EQ(fetch(actual.values), expected.values);
  }
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CsrAdaptiveTest, ValueTypes);

TYPED_TEST(CsrAdaptiveTest, ConvertsAsTheHost) {
  for (std::int64_t size = 1; size <= 70; size += 3) {
    this->check(random_csr<TypeParam>(size, size, 3, static_cast<unsigned>(size)), {0, size});
  }
  this->check(random_csr<TypeParam>(9000, 200'000, 5, 3), {0, 9000});
  const auto graph = convert_values<TypeParam>(power_law(20'000, 12, 2.1, 5).view());
  this->check(graph, {0, graph.rows});
  this->check(graph, {4095, 12'345});
  this->check(graph, {77, 77});
}

TYPED_TEST(CsrAdaptiveTest, MultipliesGraphsWithTheirLongRowsAndSumsWithTheSameBitsTwice) {
  using T = TypeParam;
  auto graph = convert_values<T>(power_law(30'000, 12, 2.1, 5).view());
  std::mt19937 random(9);
  for (T& value : graph.values) value = static_cast<T>(random_value(random));
  ASSERT_TRUE([&] {
    for (std::int64_t row = 0; row < graph.rows; ++row) {
      if (graph.row_offsets[row + 1] - graph.row_offsets[row] > 3 * most_entries_of_row_block) {
        return true;
      }
    }
    return false;
  }());
  std::vector<T> input(static_cast<std::size_t>(graph.columns));
  for (T& value : input) value = static_cast<T>(random_value(random));
  const ReferenceProduct expected = reference_product(graph, input);
  const Layout layout = parse_layout("csr-adaptive");
  for (const std::vector<GpuPart>& devices :
       {std::vector<GpuPart>{0}, std::vector<GpuPart>{0, 0, 0}}) {
    CudaBackend gpu(devices);
    const Schedule schedule = single_step_schedule("SpMVDot");
    const auto prepared = gpu.prepare(schedule, graph.view(), layout);
    const StepResult<T> first = run_step(*prepared, schedule, input, graph.rows);
    constexpr double epsilon = std::numeric_limits<T>::epsilon();
    double dot = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < input.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(first.output[i]), expected.sums[i],
                  8 * epsilon * (expected.magnitudes[i] + 1e-30))
          << "row " << i;
      dot += expected.sums[i] * static_cast<double>(input[i]);
      magnitude += expected.magnitudes[i] * std::abs(static_cast<double>(input[i]));
    }
    EXPECT_NEAR(first.sum, dot, 16 * epsilon * magnitude);
    const StepResult<T> second = run_step(*prepared, schedule, input, graph.rows);
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(second.output)),
                                   std::as_bytes(std::span(first.output))));
    EXPECT_EQ(second.sum, first.sum);
  }
}

}  // namespace
}  // namespace sparsecast
