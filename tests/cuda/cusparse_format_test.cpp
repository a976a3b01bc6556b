#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

using CusparseFormatTest = GpuTest;

const std::vector<std::string> names{"cusparse",  "cusparse2", "cusparse3",
                                     "cusparse4", "cusparse6", "cusparse8"};

TEST_F(CusparseFormatTest, SchedulesRunWithTheLibrarysProduct) {
  const auto matrix = laplacian(5, 17, 15);  // blocks hang over the last row
  const std::int64_t rows = matrix.rows;
  const auto size = static_cast<std::size_t>(rows);
  for (const Schedule& schedule : {algorithm1_schedule(), fused_cg_schedule()}) {
    for (const LaunchMode mode : {LaunchMode::graph, LaunchMode::plain, LaunchMode::host}) {
      const auto solve = [&](const Layout& layout) {
        CudaPolicy policy;
        policy.launch_mode = mode;
        CudaBackend backend(0, policy);
        const auto prepared = backend.prepare(schedule, matrix.view(), layout);
        prepared->set_vector("b", std::vector<double>(size, 1));
        prepared->set_vector("c", std::vector<double>(size, 0.5));
        prepared->run_setup();
        EXPECT_EQ(prepared->run(12).iterations, 12);
        std::vector<double> solution(size);
        prepared->get_vector("x", solution);
        return solution;
      };
      const std::vector<double> expected = solve(Layout{});
      for (const std::string& name : names) {
        SCOPED_TRACE(schedule.name + ", " + std::string(to_string(mode)) + ", " + name);
        const std::vector<double> solution = solve(parse_layout(name));
        for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(solution[i], expected[i], 1e-9);
      }
    }
  }
}

TEST_F(CusparseFormatTest, AKernelChoosesInFrontAndASumFollows) {
  const auto matrix = laplacian(5, 16, 16);
  CudaPolicy policy;
  policy.launch_mode = LaunchMode::plain;
  CudaBackend backend(0, policy);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    for (const bool sums : {false, true}) {
      const auto prepared = backend.prepare(single_step_schedule(sums ? "SpMVDot" : "SpMV"),
                                            matrix.view(), parse_layout(name));
      prepared->run(10);
      const RunCounters counters = prepared->counters();
      EXPECT_EQ(counters.kernels, 10);
      EXPECT_EQ(counters.launches, sums ? 30 : 20);
      EXPECT_EQ(counters.submitted_launches, counters.launches + 1) << "a run begins with one";
    }
  }
}

}  // namespace
}  // namespace sparsecast
