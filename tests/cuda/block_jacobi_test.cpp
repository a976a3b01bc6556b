#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/block_product.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/preconditioner.hpp"
#include "cuda/multi_gpu_test.hpp"

namespace sparsecast {
namespace {

class BlockJacobiCuda : public GpuTest {};
class BlockJacobiMultiGpu : public MultiGpuTest {};

void expect_products(const std::vector<GpuPart>& devices, LaunchMode launch) {
  SCOPED_TRACE(to_string(launch));
  CudaPolicy policy;
  policy.launch_mode = launch;
  policy.device_patience_seconds = 5;
  CudaBackend backend(devices, policy);
  const std::vector<std::int64_t> sizes = full_or_brief(0, 1) == 1
                                              ? std::vector<std::int64_t>{203}
                                              : std::vector<std::int64_t>{1, 7, 203, 100003};
  expect_block_products<double>(backend, sizes);
  expect_block_products<float>(backend, sizes);
}

TEST_F(BlockJacobiCuda, MultipliesByBlocksOfAnySize) {
  for (const LaunchMode launch : {LaunchMode::graph, LaunchMode::plain, LaunchMode::host}) {
    expect_products({0}, launch);
  }
}

/// Blocks larger than what the caches hold have another grid.
TEST_F(BlockJacobiCuda, MultipliesByBlocksThatStream) {
  if (full_or_brief(0, 1) == 1) GTEST_SKIP() << "large vectors";
  CudaBackend backend(GpuPart{0});
  for (const int rows : {3, 8}) {
    for (const bool with_sum : {false, true}) {
      expect_block_product<double>(backend, rows, 4'000'003, VectorScope::segment, with_sum);
      expect_block_product<float>(backend, rows, 8'000'003, VectorScope::segment, with_sum);
    }
  }
}

TEST_F(BlockJacobiCuda, MultipliesInSegmentsThatShareAGpu) {
  if (!kernels_may_wait_for_each_other()) GTEST_SKIP() << "kernels that wait for each other";
  expect_products({0, 0}, LaunchMode::graph);
  expect_products({0, 0, 0}, LaunchMode::graph);
}

TEST_F(BlockJacobiMultiGpu, MultipliesInSegments) {
  for (const auto& devices : gpu_groups()) {
    for (const LaunchMode launch : {LaunchMode::graph, LaunchMode::plain, LaunchMode::host}) {
      expect_products(devices, launch);
    }
  }
}

/// Solves by every shipped schedule that takes blocks, as the reference run does.
void expect_solutions(const std::vector<GpuPart>& devices, LaunchMode launch, Execution execution,
                      bool compiled) {
  CudaPolicy policy;
  policy.launch_mode = launch;
  policy.compile_passes = compiled;
  policy.device_patience_seconds = 5;
  CudaBackend backend(devices, policy);
  int solved = 0;
  for (const char* name : {"cg", "chronopoulos-gear", "pipelined-gv", "bicgstab", "gmres"}) {
    for (const int rows : {1, 3, 8}) {
      const bool is_short = std::string(name) == "cg" && rows == 3;
      if (full_or_brief(0, 1) == 1 && !is_short) continue;
      ShippedSystem system(name);
      system.method = with_preconditioner(system.method, Preconditioner::block_jacobi(rows));
      SCOPED_TRACE(system.method.name);
      system.expected = reference_run(
          system.method, system.matrix.view(), system.b, std::vector<double>(system.b.size(), 0),
          {{}, ShippedSystem::tolerance, ShippedSystem::most_iterations});
      EXPECT_EQ(system.expected.outcome, Outcome::converged);
      system.expect_solved(backend, execution);
      ++solved;
    }
  }
  EXPECT_GE(solved, 1);
}

TEST_F(BlockJacobiCuda, SolvesByGraphsAndLaunches) {
  for (const LaunchMode launch : {LaunchMode::graph, LaunchMode::plain, LaunchMode::host}) {
    SCOPED_TRACE(to_string(launch));
    expect_solutions({0}, launch, Execution::fused, true);
  }
  expect_solutions({0}, LaunchMode::graph, Execution::fused, false);
  expect_solutions({0}, LaunchMode::graph, Execution::step_by_step, true);
}

TEST_F(BlockJacobiCuda, SolvesInSegmentsThatShareAGpu) {
  if (!kernels_may_wait_for_each_other()) GTEST_SKIP() << "kernels that wait for each other";
  expect_solutions({0, 0}, LaunchMode::graph, Execution::fused, true);
}

TEST_F(BlockJacobiMultiGpu, Solves) {
  for (const auto& devices : gpu_groups()) {
    expect_solutions(devices, LaunchMode::graph, Execution::fused, true);
    expect_solutions(devices, LaunchMode::host, Execution::fused, false);
  }
}

TEST_F(BlockJacobiCuda, TakesNoMoreIterationsThanJacobiWhereUnknownsComeInBlocks) {
  const CsrMatrix<double> matrix = fem_elasticity(1, full_or_brief(8, 3), 3);
  const std::vector<double> b(static_cast<std::size_t>(matrix.rows), 1);
  CudaBackend backend(GpuPart{0});
  const auto iterations = [&](const Preconditioner& by) {
    std::vector<double> x(b.size(), 0);
    SolveOptions options;
    options.stop.tolerance = 1e-9;
    const SolveResult result = solve_by_method<double>(
        backend, with_preconditioner(shipped_method("cg"), by), {}, matrix.view(), b, x, options);
    EXPECT_EQ(result.outcome, Outcome::converged);
    return result.iterations;
  };
  EXPECT_LE(iterations(Preconditioner::block_jacobi(3)), iterations(Preconditioner::jacobi));
}

}  // namespace
}  // namespace sparsecast
