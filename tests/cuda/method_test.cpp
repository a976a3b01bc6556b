#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/method/lower.hpp"
#include "cuda/multi_gpu_test.hpp"

namespace sparsecast {
namespace {

/// Solves by every shipped schedule, as the reference run does.
void expect_solutions(const std::vector<GpuPart>& devices, LaunchMode launch, Execution execution,
                      bool compiled = true, ExchangeMode exchange = ExchangeMode::automatic) {
  int solved = 0;
  for (const std::string& name : shipped_names()) {
    SCOPED_TRACE(name);
    // A cycle of GMRES step by step is a graph of thousands of kernels.
    const bool step_by_step = execution == Execution::step_by_step;
    if (step_by_step && full_or_brief(0, 1) == 1 && name.starts_with("gmres")) continue;
    CudaPolicy policy;
    policy.launch_mode = launch;
    policy.compile_passes = compiled;
    policy.exchange = exchange;
    policy.device_patience_seconds = 5;
    CudaBackend backend(devices, policy);
    ShippedSystem(name).expect_solved(backend, execution);
    ++solved;
  }
  EXPECT_GE(solved, 10);
}

class CudaMethodTest : public GpuTest {};
class MultiGpuMethodTest : public MultiGpuTest {};

TEST_F(CudaMethodTest, SolvesByGraphs) {
  expect_solutions({0}, LaunchMode::graph, Execution::fused);
}

TEST_F(CudaMethodTest, SolvesByKernelsThatReadWhatTheyAreToDo) {
  expect_solutions({0}, LaunchMode::graph, Execution::fused, false);
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

TEST_F(CudaMethodTest, SolvesStepByStepByLaunchesThatTheHostWaitsFor) {
  expect_solutions({0}, LaunchMode::host, Execution::step_by_step);
}

/// As in shared_gpu_test.cpp: on any machine.
TEST_F(CudaMethodTest, SolvesInSegmentsThatShareAGpu) {
  if (!kernels_may_wait_for_each_other()) GTEST_SKIP() << "kernels that wait for each other";
  for (const bool compiled : {true, false}) {
    for (const ExchangeMode mode : {ExchangeMode::halo, ExchangeMode::peer, ExchangeMode::staged}) {
      SCOPED_TRACE(std::string(to_string(mode)) + (compiled ? ", compiled" : ""));
      expect_solutions({0, 0}, LaunchMode::graph, Execution::fused, compiled, mode);
    }
    expect_solutions({0, 0, 0}, LaunchMode::graph, Execution::fused, compiled);
  }
}

/// Kernels that 16 iterations of textbook CG take in two segments, as graphs.
std::int64_t launches_of_iterations(ExchangeMode mode, bool compiled) {
  CudaPolicy policy;
  policy.launch_mode = LaunchMode::graph;
  policy.compile_passes = compiled;
  policy.exchange = mode;
  policy.device_patience_seconds = 5;
  CudaBackend backend(std::vector<GpuPart>{0, 0}, policy);
  const CsrMatrix<double> matrix = laplacian(5, 70, 70);
  const auto rows = static_cast<std::size_t>(matrix.rows);
  const Solver solver = lower(shipped_method("cg"), {}, Execution::fused);
  const auto prepared = backend.prepare(solver.schedule, matrix.view(), Layout{});
  std::mt19937 random(1);
  prepared->set_vector("b", random_vector<double>(matrix.rows, random));
  prepared->set_vector("M", std::vector<double>(rows, 0.25));
  prepared->set_scalar("residual_limit", -1);
  prepared->run_setup();
  const std::int64_t before = prepared->counters().submitted_launches;
  EXPECT_EQ(prepared->run(16).iterations, 16);
  return prepared->counters().submitted_launches - before;
}

TEST_F(CudaMethodTest, SendsHalosWithThePassThatMakesThem) {
  if (!kernels_may_wait_for_each_other()) GTEST_SKIP() << "kernels that wait for each other";
  for (const bool compiled : {true, false}) {
    // Neither a launch that sends nor, in the product, one that waits.
    EXPECT_GE(launches_of_iterations(ExchangeMode::peer, compiled) -
                  launches_of_iterations(ExchangeMode::halo, compiled),
              2 * 15);
  }
}

TEST_F(MultiGpuMethodTest, SolvesTogether) {
  expect_solutions(gpus(), LaunchMode::graph, Execution::fused);
  expect_solutions(gpus(), LaunchMode::graph, Execution::fused, false);
}

}  // namespace
}  // namespace sparsecast
