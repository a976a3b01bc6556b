#include "core/engine/iteration_timing.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/matrix/generate/generators.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "cuda/cg_system.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class GpuIterationTimingTest : public GpuTest {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(GpuIterationTimingTest, ValueTypes);

struct SolverRun {
  const char* schedule;
  LaunchMode mode;
};
constexpr SolverRun solvers[]{{"algorithm1", LaunchMode::host},  {"algorithm1", LaunchMode::plain},
                              {"algorithm1", LaunchMode::graph}, {"fused", LaunchMode::host},
                              {"fused", LaunchMode::plain},      {"fused", LaunchMode::graph},
                              {"fused", LaunchMode::persistent}, {"vendor", LaunchMode::host},
                              {"vendor", LaunchMode::plain},     {"vendor", LaunchMode::graph}};

TYPED_TEST(GpuIterationTimingTest, TimesEveryScheduleInEveryLaunchMode) {
  using T = TypeParam;
  const std::int64_t size = full_or_brief(30, 6);
  const CsrMatrix<T> matrix = make_system<T>(laplacian(5, size, size)).matrix;
  StopwatchOptions options;
  options.max_seconds = 0.01;
  if (full_or_brief(1, 0) == 0) options.min_round_seconds = 0;
  options.min_rounds = 3;
  for (const SolverRun& solver : solvers) {
    SCOPED_TRACE(std::string(solver.schedule) + " " + std::string(to_string(solver.mode)));
    CudaBackend backend(0, policy_for(solver.mode));
    const auto prepared = backend.prepare(built_in(solver.schedule).schedule, matrix, Layout{});

    const Timing timing = measure_iteration(*prepared, cg_slots(), matrix.view(), options);

    EXPECT_GE(timing.round_seconds.size(), 1u);
    EXPECT_GT(timing.median_seconds, 0);
    std::printf("%s %s: %.2f us, %lld iterations a run, spread %.3f\n", solver.schedule,
                std::string(to_string(solver.mode)).c_str(), 1e6 * timing.median_seconds,
                static_cast<long long>(timing.repeats), timing.relative_spread);
  }
}

}  // namespace
}  // namespace sparsecast
