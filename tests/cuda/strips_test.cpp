#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/formats/conformance.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class StripsTest : public GpuTest {};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(StripsTest, ValueTypes);

constexpr const char* names[] = {"bcsr4-quads", "bcsr4-strips"};

TYPED_TEST(StripsTest, MultiplyManyThreadBlocksWithTheSameBitsTwice) {
  using T = TypeParam;
  // Rows and columns that hang over the last blocks.
  const std::int64_t size = full_or_brief(140, 50);
  const CsrMatrix<T> matrix = convert_values<T>(laplacian(9, size + 1, size + 1).view());
  std::mt19937 random(17);
  const std::vector<T> input = random_vector<T>(matrix.columns, random);
  const ReferenceProduct expected = reference_product(matrix, input);
  const Schedule schedule = single_step_schedule("SpMVDot");
  for (const std::vector<GpuPart>& devices : one_gpu_alone_and_as(2)) {
    CudaBackend gpu(devices);
    for (const char* name : names) {
      SCOPED_TRACE(name);
      const auto prepared = gpu.prepare(schedule, matrix.view(), parse_layout(name));
      const StepResult<T> result = run_step(*prepared, schedule, input, matrix.rows);
      for (std::size_t i = 0; i < result.output.size(); ++i) {
        const double tolerance = 16 * std::numeric_limits<T>::epsilon() * expected.magnitudes[i];
        EXPECT_NEAR(static_cast<double>(result.output[i]), expected.sums[i], tolerance)
            << "row " << i;
      }
      const StepResult<T> again = run_step(*prepared, schedule, input, matrix.rows);
      EXPECT_EQ(again.output, result.output);
      EXPECT_EQ(again.sum, result.sum);
    }
  }
}

TYPED_TEST(StripsTest, AreOneKernelWithTheirSumOrWithout) {
  using T = TypeParam;
  const CsrMatrix<T> matrix = convert_values<T>(laplacian(5, 40, 40).view());
  CudaPolicy policy;
  policy.launch_mode = LaunchMode::plain;
  CudaBackend gpu(0, policy);
  for (const char* name : names) {
    for (const char* step : {"SpMV", "SpMVDot"}) {
      const auto prepared =
          gpu.prepare(single_step_schedule(step), matrix.view(), parse_layout(name));
      prepared->run(10);
      EXPECT_EQ(prepared->counters().kernels, 10) << name;
      EXPECT_EQ(prepared->counters().launches, 10) << name;
    }
  }
}

TYPED_TEST(StripsTest, SolversRunOnThemByGraph) {
  using T = TypeParam;
  const CsrMatrix<T> matrix = convert_values<T>(laplacian(5, 17, 15).view());
  const auto size = static_cast<std::size_t>(matrix.rows);
  const auto solve = [&](const std::vector<GpuPart>& devices, ExchangeMode exchange,
                         const Layout& layout) {
    CudaPolicy policy;
    policy.launch_mode = LaunchMode::graph;
    policy.exchange = exchange;
    policy.device_patience_seconds = 5;
    CudaBackend backend(devices, policy);
    const auto prepared = backend.prepare(fused_cg_schedule(), matrix.view(), layout);
    prepared->set_vector("b", std::vector<T>(size, 1));
    prepared->set_vector("c", std::vector<T>(size, T{0.5}));
    prepared->run_setup();
    EXPECT_EQ(prepared->run(12).iterations, 12);
    std::vector<T> solution(size);
    prepared->get_vector("x", solution);
    return solution;
  };
  const std::vector<T> expected = solve({0}, ExchangeMode::halo, Layout{});
  const auto expect_solution = [&](const std::vector<GpuPart>& devices, ExchangeMode exchange) {
    for (const char* name : names) {
      SCOPED_TRACE(name + (", " + std::string(to_string(exchange))));
      const std::vector<T> solution = solve(devices, exchange, parse_layout(name));
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_NEAR(solution[i], expected[i], sizeof(T) == 4 ? 1e-3 : 1e-9);
      }
    }
  };
  expect_solution({0}, ExchangeMode::halo);
  if (!kernels_may_wait_for_each_other()) return;
  for (const ExchangeMode exchange :
       {ExchangeMode::halo, ExchangeMode::peer, ExchangeMode::staged}) {
    expect_solution({0, 0}, exchange);
  }
}

}  // namespace
}  // namespace sparsecast
