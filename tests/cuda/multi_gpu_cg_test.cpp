#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/exchange_plan.hpp"
#include "core/base/error.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/engine/solve.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "cuda/cg_system.hpp"
#include "cuda/gpu_test.hpp"
#include "cuda/multi_gpu_test.hpp"

namespace sparsecast {
namespace {

template <class T>
class MultiGpuCgTest : public MultiGpuTest {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(MultiGpuCgTest, ValueTypes);

TYPED_TEST(MultiGpuCgTest, FirstTwentyIteratesAreThoseOfOneInEveryLayoutAndExchange) {
  using T = TypeParam;
  const auto system = make_system<T>(fem_elasticity(1, full_or_brief(7, 3), 3));
  const std::int64_t count = full_or_brief(20, 2);
  const auto sizes = std::span(block_sizes).first(static_cast<std::size_t>(full_or_brief(6, 2)));
  const double tolerance = std::is_same_v<T, float> ? 2e-4 : 1e-12;
  for (const int block_size : sizes) {
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      Layout layout = block_layout(block_size);
      layout.row_order = order;
      for (const char* schedule : cg_schedules) {
        CudaBackend one(0);
        const auto expected = iterates(one, system, layout, schedule, count);
        for (const auto& group : gpu_groups()) {
          for (const ExchangeMode mode : exchange_modes) {
            SCOPED_TRACE(std::to_string(group.size()) + " GPUs, " + schedule + ", " +
                         to_string(layout) + ", " + std::string(to_string(mode)));
            CudaBackend several(group, exchanging(mode));
            expect_iterates_near(iterates(several, system, layout, schedule, count), expected,
                                 tolerance);
          }
        }
      }
    }
  }
}

TYPED_TEST(MultiGpuCgTest, EveryRunGivesTheSameBits) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(5, full_or_brief(90, 12), full_or_brief(77, 11)));
  const std::int64_t iterations = full_or_brief(53, 9);
  for (const char* schedule : cg_schedules) {
    std::vector<std::vector<T>> solutions;
    for (const ExchangeMode mode : exchange_modes) {
      for (const LaunchMode launch_mode : {LaunchMode::graph, LaunchMode::plain}) {
        CudaBackend backend(gpus(), exchanging(mode, launch_mode));
        const auto prepared = begin_cg(backend, system, block_layout(2), -1, schedule);
        EXPECT_EQ(prepared->run(iterations).iterations, iterations);
        solutions.push_back(vector_of(*prepared, "x", system.b.size()));
        EXPECT_EQ(solutions.back(), solutions.front())
            << schedule << ", " << to_string(mode) << ", " << to_string(launch_mode);
      }
    }
  }
}

/// Interior rows are multiplied while the halo is on its way; whole vectors are there before.
TYPED_TEST(MultiGpuCgTest, HalosGiveTheBitsOfWholeVectors) {
  using T = TypeParam;
  const auto systems = {make_system<T>(laplacian(27, full_or_brief(44, 6), full_or_brief(40, 6),
                                                 full_or_brief(38, 6))),
                        make_system<T>(fem_elasticity(1, full_or_brief(12, 3), 8)),
                        make_system<T>(power_law(full_or_brief(20000, 200), 14, 2.1, 9))};
  const std::int64_t iterations = full_or_brief(150, 5);
  for (const System<T>& system : systems) {
    for (const int block_size : {1, 3}) {
      CudaBackend whole(gpus(), exchanging(ExchangeMode::peer));
      const auto expected = begin_cg(whole, system, block_layout(block_size), -1, "fused");
      const std::int64_t done = expected->run(iterations).iterations;  // f32 may come to an end
      const auto solution = vector_of(*expected, "x", system.b.size());
      CudaBackend halo(gpus(), exchanging(ExchangeMode::halo));
      for (int again = 0; again < full_or_brief(10, 1); ++again) {
        const auto actual = begin_cg(halo, system, block_layout(block_size), -1, "fused");
        EXPECT_EQ(actual->run(iterations).iterations, done);
        ASSERT_EQ(vector_of(*actual, "x", system.b.size()), solution)
            << system.b.size() << " unknowns, N = " << block_size << ", run " << again;
      }
    }
  }
}

/// Scattered entries: every row looks up both segments, in no order.
TYPED_TEST(MultiGpuCgTest, LongRowsAndScatteredColumnsAreThoseOfOne) {
  using T = TypeParam;
  const double tolerance = std::is_same_v<T, float> ? 2e-4 : 1e-11;
  const std::int64_t rows = full_or_brief(6000, 300);
  for (const auto& matrix : {power_law(rows, 12, 1.9, 5), trefethen(full_or_brief(2000, 200))}) {
    const auto system = make_system<T>(matrix);
    for (const int block_size : {1, 3}) {
      CudaBackend one(0);
      const auto expected = iterates(one, system, block_layout(block_size), "fused", 6);
      for (const ExchangeMode mode : exchange_modes) {
        SCOPED_TRACE(std::string(to_string(mode)) + ", N = " + std::to_string(block_size));
        CudaBackend several(gpus(), exchanging(mode));
        expect_iterates_near(iterates(several, system, block_layout(block_size), "fused", 6),
                             expected, tolerance);
      }
    }
  }
}

TYPED_TEST(MultiGpuCgTest, SegmentsMayBeEmpty) {
  using T = TypeParam;
  const double tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-12;
  for (const std::int64_t rows : {1, 7, 33, 70}) {
    const auto system = make_system<T>(laplacian(3, rows));
    CudaBackend one(0);
    const std::int64_t count = std::min<std::int64_t>(rows, 4);
    for (const char* schedule : cg_schedules) {
      const auto expected = iterates(one, system, block_layout(2), schedule, count);
      for (const ExchangeMode mode : exchange_modes) {
        SCOPED_TRACE(std::string(schedule) + ", " + std::string(to_string(mode)) + ", " +
                     std::to_string(rows) + " rows");
        CudaBackend several(gpus(), exchanging(mode));
        expect_iterates_near(iterates(several, system, block_layout(2), schedule, count), expected,
                             tolerance);
      }
    }
  }
}

TYPED_TEST(MultiGpuCgTest, IteratesFreezeAtTheExactIteration) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(5, full_or_brief(40, 3), full_or_brief(33, 4)));
  for (const char* schedule : cg_schedules) {
    CudaBackend backend(gpus());
    expect_to_freeze_when_converged(backend, system, schedule, std::array{"x", "v"});
  }
}

using MultiGpuSolveTest = MultiGpuTest;

TEST_F(MultiGpuSolveTest, ReportsTheOutcomesOfOne) {
  const std::int64_t size = full_or_brief(150, 70);
  const auto tridiagonal = laplacian(3, size);
  auto indefinite = tridiagonal;
  for (double& value : indefinite.values) value = value < 0 ? 5 : value;
  const auto outcome = [&](const CsrMatrix<double>& matrix, const SolveOptions& options,
                           const std::vector<double>& b) {
    CudaBackend one(0);
    CudaBackend several(gpus());
    std::vector<double> x(b.size(), 0);
    const SolveResult expected = solve(one, matrix.view(), b, x, options);
    std::ranges::fill(x, 0);
    const SolveResult actual = solve(several, matrix.view(), b, x, options);
    EXPECT_EQ(actual.outcome, expected.outcome);
    EXPECT_EQ(actual.iterations, expected.iterations);
    return actual.outcome;
  };
  for (const char* schedule : cg_schedules) {
    SCOPED_TRACE(schedule);
    SolveOptions options;
    options.schedule = schedule;
    const auto n = static_cast<std::size_t>(size);
    EXPECT_EQ(outcome(tridiagonal, options, std::vector<double>(n, 1)), Outcome::converged);
    EXPECT_EQ(outcome(tridiagonal, options, std::vector<double>(n, 0)), Outcome::converged);
    std::vector<double> alternating(n, 1);
    for (std::size_t i = 1; i < n; i += 2) alternating[i] = -1;
    EXPECT_EQ(outcome(indefinite, options, alternating), Outcome::not_positive_definite);
    EXPECT_EQ(outcome(tridiagonal, options, std::vector<double>(n, 1e200)), Outcome::not_finite);
    options.stop.max_iterations = 7;
    EXPECT_EQ(outcome(tridiagonal, options, std::vector<double>(n, 1)), Outcome::iteration_limit);
  }
}

using MultiGpuCountersTest = MultiGpuTest;

TEST_F(MultiGpuCountersTest, AreThoseOfTheScheduleAndOfTheExchangePlan) {
  const auto system =
      make_system<double>(laplacian(5, full_or_brief(50, 9), full_or_brief(60, 11)));
  const std::int64_t count = full_or_brief(21, 9);
  const Layout layout = block_layout(2);
  const auto view = system.matrix.view();
  const std::size_t devices = gpus().size();
  const auto segments = partition(view, layout, static_cast<int>(devices), 32);
  const auto volumes = exchange_volumes(segments, count_halos<double>(view, segments, layout));
  for (const char* schedule : cg_schedules) {
    for (const ExchangeMode mode : exchange_modes) {
      SCOPED_TRACE(std::string(schedule) + ", " + std::string(to_string(mode)));
      CudaBackend backend(gpus(), exchanging(mode));
      const auto prepared = begin_cg(backend, system, layout, -1, schedule);
      const auto shapes = prepared->segments();
      ASSERT_EQ(shapes.size(), devices);
      EXPECT_EQ(prepared->bytes_per_device().size(), devices);
      const RunCounters before = prepared->counters();
      EXPECT_EQ(prepared->run(count).iterations, count);
      const RunCounters after = prepared->counters();
      std::int64_t meetings = 0;
      std::int64_t exchanges = 0;
      std::int64_t launches = 0;
      double vector_bytes = 0;
      for (const Step& step : built_in(schedule).schedule.iteration) {
        if (step.guard) continue;
        const bool exchange = step.kind == StepKind::exchange;
        exchanges += exchange ? 1 : 0;
        meetings += exchange || step.kind == StepKind::reduce || !step.sums.empty() ? 1 : 0;
        launches += step.launches;
        if (exchange) continue;
        for (const SegmentShape& shape : shapes) {
          const BytesByKind moved = bytes_moved(step, shape, Precision::f64);
          vector_bytes += moved.vector_reads + moved.vector_writes;
        }
      }
      EXPECT_EQ(after.exchanges - before.exchanges, count * exchanges);
      EXPECT_EQ(after.barriers - before.barriers, count * meetings);
      EXPECT_EQ(after.launches - before.launches, count * launches);
      EXPECT_EQ(after.bytes.vector_reads - before.bytes.vector_reads + after.bytes.vector_writes -
                    before.bytes.vector_writes,
                static_cast<double>(count) * vector_bytes);
      std::int64_t values = 0;
      for (const ExchangeVolume& volume : volumes) {
        values += volume.in(mode).received + volume.in(mode).sent;
      }
      EXPECT_EQ(after.exchanged_values - before.exchanged_values, count * exchanges * values);
    }
  }
}

using MultiGpuScheduleTest = MultiGpuTest;

TEST_F(MultiGpuScheduleTest, SumsAndExchangesWithoutAMatrix) {
  const std::int64_t size = full_or_brief(5000, 200);
  std::mt19937 random(7);
  const auto values = random_vector<double>(size, random);
  for (const ExchangeMode mode : exchange_modes) {
    SCOPED_TRACE(std::string(to_string(mode)));
    CudaBackend backend(gpus(), exchanging(mode));
    const Schedule exchange = exchange_schedule();
    const auto prepared = backend.prepare_vectors_f64(exchange, size);
    for (const VectorDeclaration& vector : exchange.vectors) {
      prepared->set_vector(vector.name, values);
    }
    EXPECT_EQ(prepared->run(5).iterations, 5);
    EXPECT_EQ(prepared->counters().exchanges, 5);
    const auto waiting = backend.prepare_vectors_f64(barrier_schedule(), size);
    EXPECT_EQ(waiting->run(6).iterations, 6);
    EXPECT_EQ(waiting->counters().barriers, 6);
  }
}

TEST_F(MultiGpuScheduleTest, RefusesWhatRunsOnOne) {
  const auto system = make_system<double>(laplacian(5, 20, 20));
  CudaBackend persistent(gpus(), policy_for(LaunchMode::persistent));
  EXPECT_THROW(persistent.prepare(fused_cg_schedule(), system.matrix.view(), block_layout(1)),
               Error);
  CudaBackend by_host(gpus(), exchanging(ExchangeMode::halo, LaunchMode::host));
  EXPECT_THROW(by_host.prepare(fused_cg_schedule(), system.matrix.view(), block_layout(1)), Error);
  CudaBackend backend(gpus());
  EXPECT_THROW(backend.prepare(vendor_cg_schedule(), system.matrix.view(), block_layout(1)), Error);
}

}  // namespace
}  // namespace sparsecast
