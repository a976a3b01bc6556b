#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/engine/solve.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/iteration_counts.hpp"
#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method_names.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "cuda/cg_system.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

constexpr std::array launch_modes{LaunchMode::host, LaunchMode::plain, LaunchMode::graph};

template <class T>
class CudaCgTest : public GpuTest {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaCgTest, ValueTypes);

TYPED_TEST(CudaCgTest, FirstTwentyIteratesAreThoseOfTheCpuInEveryLayoutAndLaunchMode) {
  using T = TypeParam;
  const auto system = make_system<T>(fem_elasticity(1, full_or_brief(6, 3), 3));
  const std::int64_t iterations = full_or_brief(20, 2);
  const auto sizes = std::span(block_sizes).first(static_cast<std::size_t>(full_or_brief(6, 2)));
  const double tolerance = std::is_same_v<T, float> ? 2e-4 : 1e-12;
  for (const int block_size : sizes) {
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      Layout layout = block_layout(block_size);
      layout.row_order = order;
      CpuBackend cpu(1, 1);
      const auto reference = begin_cg(cpu, system, layout);
      std::vector<std::vector<T>> expected;
      for (std::int64_t iteration = 1; iteration <= iterations; ++iteration) {
        reference->run(1);
        expected.push_back(vector_of(*reference, "x", system.b.size()));
      }
      for (const char* schedule : cg_schedules) {
        for (const LaunchMode mode : launch_modes) {
          SCOPED_TRACE(std::string(schedule) + ", " + to_string(layout) + ", " +
                       std::string(to_string(mode)));
          CudaBackend gpu(0, policy_for(mode));
          const auto actual = begin_cg(gpu, system, layout, -1, schedule);
          for (const std::vector<T>& iterate : expected) {
            actual->run(1);
            ASSERT_LT(relative_difference(vector_of(*actual, "x", system.b.size()), iterate),
                      tolerance);
          }
        }
      }
    }
  }
}

TYPED_TEST(CudaCgTest, AllLaunchModesGiveTheSameBits) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(5, 90, 77));
  const std::int64_t iterations = full_or_brief(53, 9);
  for (const char* schedule : cg_schedules) {
    std::vector<std::vector<T>> solutions;
    for (const LaunchMode mode : launch_modes) {
      for (std::int64_t repeat = 0; repeat < full_or_brief(2, 1); ++repeat) {
        CudaBackend gpu(0, policy_for(mode));
        const auto prepared = begin_cg(gpu, system, block_layout(2), -1, schedule);
        EXPECT_EQ(prepared->run(iterations).iterations, iterations);
        solutions.push_back(vector_of(*prepared, "x", system.b.size()));
        EXPECT_EQ(solutions.back(), solutions.front()) << schedule;
      }
    }
  }
}

TYPED_TEST(CudaCgTest, SchedulesThatShareAMatrixGiveTheBitsOfThoseAlone) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(5, 90, 77));
  const std::int64_t iterations = full_or_brief(53, 9);
  for (const Layout& layout : {Layout{}, block_layout(2), Layout{"dia"}}) {
    SCOPED_TRACE(to_string(layout));
    CudaBackend gpu(0, policy_for(LaunchMode::graph));
    const auto alone = begin_cg(gpu, system, layout, -1, "fused");
    alone->run(iterations);
    auto first = begin_cg(gpu, system, layout);
    CudaBackend other(0, policy_for(LaunchMode::plain));
    const auto second =
        other.prepare_beside(*first, fused_cg().schedule, system.matrix.view(), layout);
    EXPECT_EQ(second->upload_seconds(), first->upload_seconds());
    first.reset();
    second->set_vector("b", system.b);
    second->set_vector("c", system.c);
    second->run_setup();
    EXPECT_EQ(second->run(iterations).iterations, iterations);
    EXPECT_EQ(vector_of(*second, "x", system.b.size()), vector_of(*alone, "x", system.b.size()));
  }
}

TYPED_TEST(CudaCgTest, IteratesFreezeAtTheExactIteration) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(5, full_or_brief(40, 2), full_or_brief(33, 2)));
  const std::int64_t late_look = full_or_brief(200, 5);
  for (const std::string schedule : cg_schedules) {
    const bool fused = schedule == "fused";
    const std::vector<const char*> vectors =
        fused ? std::vector{"x", "z", "v"} : std::vector{"x", "r", "v_part"};
    for (const LaunchMode mode : launch_modes) {
      CudaPolicy policy = policy_for(mode);
      policy.poll_every(static_cast<int>(late_look));
      CudaBackend gpu(0, policy);
      const RunReport report = expect_to_freeze_when_converged(gpu, system, schedule, vectors);
      EXPECT_GT(report.iterations, full_or_brief(20, 1));
      EXPECT_LT(report.iterations, late_look);
    }
  }
}

TYPED_TEST(CudaCgTest, RunsGoOnWhereTheLastOneStopped) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(5, 30, 30));
  CudaBackend gpu(0);
  const auto whole = begin_cg(gpu, system, block_layout(1));
  const auto parts = begin_cg(gpu, system, block_layout(1));
  const std::array<std::int64_t, 5> counts{1, full_or_brief(17, 2), 0, 8, full_or_brief(15, 1)};
  const std::int64_t all = std::reduce(counts.begin(), counts.end());
  EXPECT_EQ(whole->run(all).iterations, all);
  for (const std::int64_t count : counts) EXPECT_EQ(parts->run(count).iterations, count);
  EXPECT_EQ(vector_of(*whole, "x", 900), vector_of(*parts, "x", 900));
  EXPECT_EQ(parts->counters().iterations, all);
}

using CudaSolveTest = GpuTest;

TEST_F(CudaSolveTest, NeedsAsManyIterationsAsTheCpuWithinTwoPercent) {
  std::vector<CsrMatrix<double>> matrices{
      laplacian(5, full_or_brief(100, 6), full_or_brief(100, 5)), laplacian(27, 20, 20, 20),
      fem_elasticity(1, 10, 1), trefethen(2000), power_law(20'000, 12, 2.2, 5)};
  matrices.resize(static_cast<std::size_t>(full_or_brief(5, 1)));
  for (const CsrMatrix<double>& matrix : matrices) {
    for (const int block_size : {1, 3}) {
      const auto system = make_system<double>(matrix);
      SolveOptions options;
      options.layout = block_layout(block_size);
      CpuBackend cpu(1, 1);
      CudaBackend gpu(0);
      for (const char* schedule : cg_schedules) {
        options.schedule = schedule;
        std::vector<double> x(system.b.size(), 0);
        const SolveResult expected = solve(cpu, system.matrix.view(), system.b, x, options);
        std::ranges::fill(x, 0);
        const SolveResult actual = solve(gpu, system.matrix.view(), system.b, x, options);
        EXPECT_EQ(actual.outcome, Outcome::converged) << actual.brief();
        EXPECT_EQ(expected.outcome, Outcome::converged) << expected.brief();
        EXPECT_NEAR(static_cast<double>(actual.iterations),
                    static_cast<double>(expected.iterations),
                    0.02 * static_cast<double>(expected.iterations))
            << matrix.rows << " rows, " << schedule;
      }
    }
  }
}

TEST_F(CudaSolveTest, ReportsTheOutcomesOfTheCpu) {
  const auto outcome = [](const CsrMatrix<double>& matrix, const SolveOptions& options,
                          std::vector<double> b) {
    CpuBackend cpu(1, 1);
    CudaBackend gpu(0);
    std::vector<double> x(b.size(), 0);
    const SolveResult expected = solve(cpu, matrix.view(), b, x, options);
    std::ranges::fill(x, 0);
    const SolveResult actual = solve(gpu, matrix.view(), b, x, options);
    EXPECT_EQ(actual.outcome, expected.outcome);
    EXPECT_EQ(actual.iterations, expected.iterations);
    return actual.outcome;
  };
  const std::int64_t size = full_or_brief(50, 20);
  const auto tridiagonal = laplacian(3, size);
  CsrMatrix<double> indefinite;
  indefinite.rows = indefinite.columns = 2;
  indefinite.row_offsets = {0, 2, 4};
  indefinite.column_indices = {0, 1, 0, 1};
  indefinite.values = {1, 2, 2, 1};
  for (const char* schedule : cg_schedules) {
    SCOPED_TRACE(schedule);
    SolveOptions options;
    options.schedule = schedule;
    EXPECT_EQ(outcome(tridiagonal, options, std::vector<double>(size, 1)), Outcome::converged);
    EXPECT_EQ(outcome(tridiagonal, options, std::vector<double>(size, 0)), Outcome::converged);
    EXPECT_EQ(outcome(indefinite, options, {1, -1}), Outcome::not_positive_definite);
    EXPECT_EQ(outcome(tridiagonal, options, std::vector<double>(size, 1e200)), Outcome::not_finite);
    options.stop.max_iterations = 7;
    EXPECT_EQ(outcome(tridiagonal, options, std::vector<double>(size, 1)),
              Outcome::iteration_limit);
  }

  CpuBackend cpu(1, 1);
  CudaBackend gpu(0);
  const auto system = make_system<double>(laplacian(5, full_or_brief(20, 6), full_or_brief(20, 5)));
  for (const char* schedule : cg_schedules) {
    for (Backend* backend : {static_cast<Backend*>(&cpu), static_cast<Backend*>(&gpu)}) {
      // When it stops to fall is a matter of rounding.
      const auto prepared = begin_cg(*backend, system, block_layout(1), -1, schedule);
      prepared->set_scalar("patience", 1);
      EXPECT_EQ(prepared->run(400).outcome, Outcome::stagnated);
    }
  }
}

using CudaCountersTest = GpuTest;

TEST_F(CudaCountersTest, AreThoseOfTheSchedule) {
  const auto system = make_system<double>(laplacian(5, 50, 60));
  const std::int64_t count = full_or_brief(21, 9);
  for (const char* schedule : cg_schedules) {
    for (const LaunchMode mode : launch_modes) {
      for (const int block_size : {1, 4}) {
        SCOPED_TRACE(std::string(schedule) + ", " + std::string(to_string(mode)));
        CudaBackend gpu(0, policy_for(mode));
        const auto prepared = begin_cg(gpu, system, block_layout(block_size), -1, schedule);
        const RunCounters before = prepared->counters();
        const std::int64_t iterations = prepared->run(count).iterations;
        const RunCounters after = prepared->counters();
        EXPECT_EQ(iterations, count);

        // Guarded steps never ran: beta_threshold is below all beta.
        const SegmentShape shape = prepared->segments().at(0);
        std::int64_t kernels = 0, reductions = 0, sums = 0, launches = 0, guarded = 0,
                     exchanges = 0;
        BytesByKind bytes;
        for (const Step& step : built_in(schedule).schedule.iteration) {
          if (step.guard) {
            guarded += step.launches;
            continue;
          }
          if (step.kind == StepKind::exchange) {
            ++exchanges;
            continue;
          }
          const bool reduces = step.kind == StepKind::reduce;
          kernels += step.kind == StepKind::kernel || reduces ? 1 : 0;
          reductions += reduces ? 1 : 0;
          sums += step.sums.empty() ? 0 : 1;
          launches += step.launches;
          const BytesByKind moved = bytes_moved(step, shape, Precision::f64);
          bytes.values += moved.values;
          bytes.indices += moved.indices;
          bytes.row_pointers += moved.row_pointers;
          bytes.vector_reads += moved.vector_reads;
          bytes.vector_writes += moved.vector_writes;
        }
        EXPECT_EQ(after.iterations - before.iterations, count);
        EXPECT_EQ(after.kernels - before.kernels, count * kernels);
        EXPECT_EQ(after.reductions - before.reductions, count * reductions);
        EXPECT_EQ(after.exchanges - before.exchanges, count * exchanges);
        EXPECT_EQ(after.barriers - before.barriers, count * (reductions + sums + exchanges));
        EXPECT_EQ(after.launches - before.launches, count * launches);
        EXPECT_EQ(after.exchanged_values, 0);
        // Really launched: one more opens the run; where the device decides, kernels with guards
        // too, and one that carries out what is in front of the first kernel. The host looks at the
        // end, or for sums that it needs and twice more.
        const bool host = mode == LaunchMode::host;
        const std::int64_t waits = iteration_counts(built_in(schedule).schedule).waits;
        EXPECT_EQ(after.submitted_launches - before.submitted_launches,
                  host ? count * launches + 1 : count * (launches + guarded) + 2);
        EXPECT_EQ(after.host_waits - before.host_waits, host ? count * waits + 2 : 1);
        EXPECT_EQ(after.bytes.values - before.bytes.values,
                  static_cast<double>(count) * bytes.values);
        EXPECT_EQ(after.bytes.indices - before.bytes.indices,
                  static_cast<double>(count) * bytes.indices);
        // Here offsets are 4 bytes wide, where the schedule counts 8.
        EXPECT_EQ(after.bytes.row_pointers - before.bytes.row_pointers,
                  static_cast<double>(count) * bytes.row_pointers / 2);
        EXPECT_EQ(after.bytes.vector_reads - before.bytes.vector_reads,
                  static_cast<double>(count) * bytes.vector_reads);
        EXPECT_EQ(after.bytes.vector_writes - before.bytes.vector_writes,
                  static_cast<double>(count) * bytes.vector_writes);
      }
    }
  }
}

TEST_F(CudaCountersTest, CountOneWaitOfTheHostForSumsThatAreNeededTogether) {
  const auto system = make_system<double>(laplacian(5, 50, 60));
  const Method& method = shipped_method("pipelined-cg");
  const Solver solver = lower(method, known_parameters(method), Execution::step_by_step);
  CudaBackend gpu(0, policy_for(LaunchMode::host));
  const auto prepared = gpu.prepare(solver.schedule, system.matrix.view(), Layout{});
  prepared->set_vector("b", system.b);
  prepared->run_setup();
  const RunCounters before = prepared->counters();
  const std::int64_t count = prepared->run(9).iterations;
  const RunCounters after = prepared->counters();
  EXPECT_EQ(count, 9);
  EXPECT_EQ(after.host_waits - before.host_waits, count + 2);
}

TEST_F(CudaCountersTest, CountOneRunOfAStepThatTheEndOfTheRunCutsOff) {
  const auto system = make_system<double>(laplacian(5, full_or_brief(20, 5), full_or_brief(20, 4)));
  CudaBackend gpu(0);
  const auto prepared = begin_cg(gpu, system, block_layout(1), 1e-6);
  const RunCounters before = prepared->counters();
  const RunReport report = prepared->run(1000);
  EXPECT_EQ(report.outcome, Outcome::converged);
  // SpMV, CG3, Red, CG4, Red, CG2, Red in every iteration, CG5 and Red in all but the last.
  EXPECT_EQ(prepared->counters().kernels - before.kernels, 9 * report.iterations - 2);
}

using CudaScheduleTest = GpuTest;

/// y = the sum of ones, counted up by scalars around a copy that a guard may skip.
Schedule counting_schedule(bool guard_holds) {
  Schedule schedule;
  schedule.name = "counting";
  schedule.vectors = {{"a", VectorScope::segment}, {"b", VectorScope::segment}};
  schedule.scalars = {{"sum", 0}, {"small", 1}, {"large", 2}, {"count", 0}, {"never", -1}};
  Step copy;
  copy.kind = StepKind::kernel;
  copy.name = "Copy";
  copy.vectors = {0, 1};
  copy.guard =
      guard_holds ? ScalarTest{1, Comparison::less, 2} : ScalarTest{2, Comparison::less, 1};
  copy.launches = 1;
  Step scalars;
  scalars.kind = StepKind::host_scalar;
  scalars.name = "Scalars";
  // count + 1 unless large < small; more of them than one launch takes.
  scalars.assignments.assign(50, ScalarAssignment{3, ScalarOperation::count_unless_smaller, 2, 1});
  Step check;
  check.kind = StepKind::check;
  check.name = "Check";
  check.stop_tests = {{{3, Comparison::less, 4}, Outcome::stagnated}};
  schedule.iteration = {scalars, copy, check, scalars};
  return schedule;
}

TEST_F(CudaScheduleTest, RepeatAPatternThroughAVector) {
  const std::vector<float> pattern{1, 2, 3, 5, 8, 13, 21};
  for (const std::vector<GpuPart>& devices : one_gpu_alone_and_as(3)) {
    CudaBackend backend(devices);
    for (const std::int64_t size : {1, 6, 4095, 100'000}) {
      const auto prepared = backend.prepare_vectors_f32(counting_schedule(true), size);
      prepared->set_vector("a", std::vector<float>(static_cast<std::size_t>(size), -1));
      prepared->repeat_in_vector("a", pattern);
      const std::vector<float> values = vector_of(*prepared, "a", size);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i], pattern[i % pattern.size()])
            << i << " of " << size << " on " << devices.size();
      }
    }
  }
}

TEST_F(CudaScheduleTest, OperationsBeforeAndAfterKernelsRunOncePerIteration) {
  for (const LaunchMode mode : launch_modes) {
    CudaBackend gpu(0, policy_for(mode));
    CpuBackend cpu(1, 1);
    for (const bool guard_holds : {true, false}) {
      const Schedule schedule = counting_schedule(guard_holds);
      const auto actual = gpu.prepare_vectors_f32(schedule, 100);
      const auto expected = cpu.prepare_vectors_f32(schedule, 100);
      std::vector<float> ones(100, 1);
      actual->set_vector("a", ones);
      for (const std::int64_t iterations : {1, 3, 20}) {
        EXPECT_EQ(actual->run(iterations).iterations, iterations);
        expected->run(iterations);
        EXPECT_EQ(actual->scalar("count"), expected->scalar("count"));
      }
      EXPECT_EQ(actual->scalar("count"), 2400);
      EXPECT_EQ(actual->counters().kernels, guard_holds ? 24 : 0);
      EXPECT_EQ(vector_of(*actual, "b", 100), std::vector<float>(100, guard_holds ? 1.0f : 0.0f));
    }
  }
}

TEST_F(CudaScheduleTest, ACheckInFrontOfAllKernelsEndsARunOfNoIteration) {
  for (const LaunchMode mode : launch_modes) {
    CudaBackend gpu(0, policy_for(mode));
    const auto system = make_system<double>(laplacian(5, 20, 20));
    const auto prepared = begin_cg(gpu, system, block_layout(1));
    prepared->set_scalar("v_norm_threshold", 1e300);
    const RunReport report = prepared->run(10);
    EXPECT_EQ(report.outcome, Outcome::converged);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(vector_of(*prepared, "x", 400), std::vector<double>(400, 0));
  }
}

TEST_F(CudaScheduleTest, BarriersAndExchangesOfOneDeviceAreCounted) {
  CudaBackend gpu(0);
  const auto barriers = gpu.prepare_vectors_f32(barrier_schedule(), 10);
  EXPECT_EQ(barriers->run(12).iterations, 12);
  EXPECT_EQ(barriers->counters().barriers, 12);
  const auto exchanges = gpu.prepare_vectors_f32(exchange_schedule(), 10);
  EXPECT_EQ(exchanges->run(5).iterations, 5);
  EXPECT_EQ(exchanges->counters().exchanges, 5);
}

}  // namespace
}  // namespace sparsecast
