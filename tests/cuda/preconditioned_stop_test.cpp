#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/engine/solve.hpp"
#include "core/random_spd.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

class PreconditionedStopTest : public GpuTest {};

TEST_F(PreconditionedStopTest, TakesTheIterationsOfTheCpuInEveryLaunchMode) {
  const CsrMatrix<double> matrix = random_spd(full_or_brief(5000, 500), 8, 6, 3);
  const auto b = random_vector<double>(matrix.rows, 4u);
  const auto start = random_vector<double>(matrix.rows, 5u);
  const auto solve_on = [&](Backend& backend, const std::string& schedule) {
    std::vector<double> x = start;
    SolveOptions options;
    options.stop = {StopRule::Kind::preconditioned, 1e-8, 1000};
    options.schedule = schedule;
    const SolveResult result = solve(backend, matrix.view(), b, x, options);
    EXPECT_EQ(result.outcome, Outcome::converged);
    EXPECT_LE(result.preconditioned_norm.value(),
              1.01e-8 * result.first_preconditioned_norm.value());
    return result.iterations;
  };
  for (const char* schedule : {"fused", "algorithm1"}) {
    CpuBackend cpu(1, 1, {});
    const std::int64_t expected = solve_on(cpu, schedule);
    for (const LaunchMode mode :
         {LaunchMode::host, LaunchMode::plain, LaunchMode::graph, LaunchMode::persistent}) {
      if (mode == LaunchMode::persistent && schedule != std::string("fused")) continue;
      SCOPED_TRACE(std::string(schedule) + ", " + std::string(to_string(mode)));
      CudaPolicy policy;
      policy.launch_mode = mode;
      CudaBackend gpu(0, policy);
      EXPECT_LE(std::abs(solve_on(gpu, schedule) - expected), 1);
    }
  }
}

}  // namespace
}  // namespace sparsecast
