#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "cuda/multi_gpu_test.hpp"

namespace sparsecast {
namespace {

/// Solves by every shipped schedule, as the reference run does.
void expect_solutions(const std::vector<int>& devices, LaunchMode launch, Execution execution,
                      bool compiled = true) {
  int solved = 0;
  for (const std::string& name : shipped_schedules()) {
    SCOPED_TRACE(name);
    CudaPolicy policy;
    policy.launch_mode = launch;
    policy.compile_passes = compiled;
    CudaBackend backend(devices, policy);
    ShippedSystem(name).expect_solved(backend, execution);
    ++solved;
  }
  EXPECT_GE(solved, 9);
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

TEST_F(MultiGpuMethodTest, SolvesTogether) {
  expect_solutions(gpus(), LaunchMode::graph, Execution::fused);
  expect_solutions(gpus(), LaunchMode::graph, Execution::fused, false);
}

}  // namespace
}  // namespace sparsecast
