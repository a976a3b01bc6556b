#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/engine/solve.hpp"
#include "core/formats/conformance.hpp"
#include "core/formats/csr_adaptive/cuda/conversion.cuh"
#include "core/formats/registry.hpp"
#include "core/matrix/csr_rows.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/schedule/cg_schedule.hpp"
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
  for (const std::vector<GpuPart>& devices : one_gpu_alone_and_as(3)) {
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

/// Pieces that wait for each other know one that is there by its bits: a sum of 0 must not look
/// like none, nor what a launch leaves behind like one of the next.
TYPED_TEST(CsrAdaptiveTest, PiecesWhoseSumIsZeroAreNotWaitedForForever) {
  using T = TypeParam;
  // Each piece, of `most_entries_of_row_block`, is some times 1, 1, -2.
  static_assert(most_entries_of_row_block % 3 == 0);
  constexpr std::int64_t size = 5 * most_entries_of_row_block;
  CsrMatrix<T> matrix;
  matrix.rows = 2;
  matrix.columns = size;
  matrix.row_offsets = {0, size, 2 * size};
  for (const T first : {T{1}, T{3}}) {
    for (std::int64_t k = 0; k < size; ++k) {
      matrix.column_indices.push_back(static_cast<std::int32_t>(k));
      matrix.values.push_back(k % 3 == 2 ? -2 * first : first);
    }
  }
  CudaBackend gpu(0);
  const Schedule schedule = single_step_schedule("SpMV");
  const auto prepared = gpu.prepare(schedule, matrix.view(), parse_layout("csr-adaptive"));
  std::vector<T> input(static_cast<std::size_t>(size), T{7});
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_EQ(run_step(*prepared, schedule, input, 2).output, (std::vector<T>{0, 0}));
    input[size - 1] += T{1};
    EXPECT_EQ(run_step(*prepared, schedule, input, 2).output, (std::vector<T>{-2, -6}));
    input[size - 1] -= T{1};
  }
}

TYPED_TEST(CsrAdaptiveTest, PiecesOfManyLaunchesBehindClosedGatesGiveTheSameBits) {
  using T = TypeParam;
  const auto graph = convert_values<T>(power_law(full_or_brief(30'000, 8000), 12, 2.1, 5).view());
  const std::vector<T> b(static_cast<std::size_t>(graph.rows), 1);
  SolveOptions options;
  options.layout = parse_layout("csr-adaptive");
  options.stop = {StopRule::Kind::relative, sizeof(T) == 4 ? 1e-3 : 1e-8, 1000};
  options.schedule = "fused";
  CudaPolicy policy;
  policy.launch_mode = LaunchMode::graph;
  // Long after the last iteration, so that kernels find their gates closed.
  policy.poll_every(500);
  CudaBackend gpu(0, policy);
  std::vector<T> first(b.size(), 0);
  const SolveResult result = solve(gpu, graph.view(), b, std::span<T>(first), options);
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_GT(result.iterations, 3);
  EXPECT_LT(result.iterations, 500);
  std::vector<T> second(b.size(), 0);
  solve(gpu, graph.view(), b, std::span<T>(second), options);
  EXPECT_EQ(second, first);
  const auto prepared = gpu.prepare(fused_cg_schedule(), graph.view(), options.layout);
  std::vector<T> diagonal(b.size());
  for (std::int64_t row = 0; row < graph.rows; ++row) {
    for (std::int64_t k = graph.row_offsets[row]; k < graph.row_offsets[row + 1]; ++k) {
      if (graph.column_indices[k] == row) diagonal[row] = 1 / graph.values[k];
    }
  }
  // Stopped at every fourth iteration, the run goes on as if it had not been.
  const auto run_in = [&](std::initializer_list<std::int64_t> counts) {
    prepared->set_vector("b", b);
    prepared->set_vector("c", diagonal);
    prepared->set_vector("x", std::vector<T>(b.size(), T{0}));
    prepared->run_setup();
    for (const std::int64_t count : counts) EXPECT_EQ(prepared->run(count).iterations, count);
    std::vector<T> x(b.size());
    prepared->get_vector("x", x);
    return x;
  };
  EXPECT_EQ(run_in({4, 4, 4}), run_in({12}));
}

}  // namespace
}  // namespace sparsecast
