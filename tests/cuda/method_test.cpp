#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/engine/reference_run.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/engine/solve_method.hpp"
#include "cuda/multi_gpu_test.hpp"

namespace sparsecast {
namespace {

/// Solves by every shipped schedule, as the reference run does.
void expect_solutions(const std::vector<int>& devices, LaunchMode launch, Execution execution) {
  int solved = 0;
  for (const std::string& name : shipped_schedules()) {
    SCOPED_TRACE(name);
    const Method method = shipped_schedule(name);
    const CsrMatrix<double> matrix = matrix_for_schedule(name);
    std::mt19937 random(3);
    const auto b = random_vector<double>(matrix.rows, random);
    const std::vector<double> zero(b.size(), 0);
    const ReferenceResult expected =
        reference_run(method, matrix.view(), b, zero, {{}, 1e-9, 5000});
    ASSERT_EQ(expected.outcome, Outcome::converged);
    CudaPolicy policy;
    policy.launch_mode = launch;
    CudaBackend backend(devices, policy);
    SolveOptions options;
    options.stop.tolerance = 1e-9;
    options.stop.max_iterations = 5000;
    std::vector<double> x(b.size(), 0);
    const SolveResult result =
        solve_by_method<double>(backend, method, {}, matrix.view(), b, x, options, execution);
    EXPECT_EQ(result.outcome, Outcome::converged);
    // Sums in another order may find the limit an iteration sooner or later.
    EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(expected.iterations),
                2 + 0.02 * static_cast<double>(expected.iterations));
    EXPECT_LE(result.residual_norm, 2e-9 * result.right_hand_side_norm);
    ++solved;
  }
  EXPECT_GE(solved, 9);
}

class CudaMethodTest : public GpuTest {};
class MultiGpuMethodTest : public MultiGpuTest {};

TEST_F(CudaMethodTest, SolvesByGraphs) {
  expect_solutions({0}, LaunchMode::graph, Execution::fused);
}

TEST_F(CudaMethodTest, SolvesByLaunches) {
  expect_solutions({0}, LaunchMode::plain, Execution::fused);
}

TEST_F(CudaMethodTest, SolvesByLaunchesThatTheHostWaitsFor) {
  expect_solutions({0}, LaunchMode::host, Execution::fused);
}

TEST_F(CudaMethodTest, SolvesStepByStep) {
  expect_solutions({0}, LaunchMode::graph, Execution::step_by_step);
}

TEST_F(MultiGpuMethodTest, SolvesTogether) {
  expect_solutions(gpus(), LaunchMode::graph, Execution::fused);
}

}  // namespace
}  // namespace sparsecast
