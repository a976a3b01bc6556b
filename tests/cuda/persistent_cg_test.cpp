#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/error.hpp"
#include "core/cpu/cpu_backend.hpp"
#include "core/engine/solve.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"
#include "cuda/cg_system.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

const CudaPolicy persistent = policy_for(LaunchMode::persistent);
const CudaPolicy without_cluster = [] {
  CudaPolicy policy = persistent;
  policy.persistent_cluster_blocks = 0;
  return policy;
}();

template <class T>
std::unique_ptr<PreparedSchedule<T>> begin_fused(Backend& backend, const System<T>& system,
                                                 const Layout& layout = {},
                                                 double r_r_threshold = -1) {
  return begin_cg(backend, system, layout, r_r_threshold, "fused");
}

/// Compares scalars and vectors after each of the first iterations with the CPU's.
template <class T>
void expect_iterates_of_the_cpu(const CsrMatrix<double>& matrix, const Layout& layout,
                                const CudaPolicy& policy, std::int64_t iterations) {
  SCOPED_TRACE(std::to_string(matrix.rows) + " rows, " + to_string(layout));
  const System<T> system = make_system<T>(matrix);
  const double tolerance = std::is_same_v<T, float> ? 2e-4 : 1e-11;
  CpuBackend cpu(1, 1);
  CudaBackend gpu(0, policy);
  const auto expected = begin_fused(cpu, system, layout);
  const auto actual = begin_fused(gpu, system, layout);
  for (std::int64_t iteration = 1; iteration <= iterations; ++iteration) {
    expected->run(1);
    actual->run(1);
    for (const char* name : {"x", "z", "u", "v"}) {
      ASSERT_LT(relative_difference(vector_of(*actual, name, system.b.size()),
                                    vector_of(*expected, name, system.b.size())),
                tolerance)
          << name << " in iteration " << iteration;
    }
    for (const char* name : {"alpha", "beta", "s", "t", "p_Ap", "r_r", "beta_minimum"}) {
      ASSERT_NEAR(actual->scalar(name), expected->scalar(name),
                  tolerance * std::abs(expected->scalar(name)))
          << name << " in iteration " << iteration;
    }
    ASSERT_EQ(actual->scalar("stalled"), expected->scalar("stalled"));
  }
}

template <class T>
class CudaPersistentTest : public GpuTest {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaPersistentTest, ValueTypes);

TYPED_TEST(CudaPersistentTest, FirstIteratesAreThoseOfTheCpuInEveryLayout) {
  const auto matrix = fem_elasticity(1, full_or_brief(6, 2), 3);
  for (const int block_size : block_sizes) {
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      Layout layout = block_layout(block_size);
      layout.row_order = order;
      expect_iterates_of_the_cpu<TypeParam>(matrix, layout, persistent, full_or_brief(20, 2));
    }
  }
  for (const int block_size : {1, 3}) {
    expect_iterates_of_the_cpu<TypeParam>(matrix, block_layout(block_size), without_cluster,
                                          full_or_brief(20, 2));
  }
}

TYPED_TEST(CudaPersistentTest, RunsTinySystemsAndSuchAsNoBlockSizeDivides) {
  for (const std::int64_t rows : {2, 5, 31, 40, 1025}) {
    const std::int64_t iterations = std::min<std::int64_t>(rows / 2, full_or_brief(20, 2));
    for (const int block_size : {1, 3}) {
      expect_iterates_of_the_cpu<TypeParam>(laplacian(3, rows), block_layout(block_size),
                                            persistent, iterations);
    }
  }
}

TYPED_TEST(CudaPersistentTest, RunsWithMoreThreadBlocksThanRows) {
  CudaPolicy policy = persistent;
  policy.persistent_unknowns_per_block = 1;
  for (const std::int64_t rows : {7, 90}) {
    for (const int block_size : {1, 3}) {
      expect_iterates_of_the_cpu<TypeParam>(laplacian(3, rows), block_layout(block_size), policy,
                                            3);
    }
  }
}

/// One row and one column are full.
CsrMatrix<double> arrow(std::int64_t rows) {
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = rows;
  matrix.row_offsets = {0};
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t column = 0; column < rows; ++column) {
      if (row != column && row != 0 && column != 0) continue;
      matrix.column_indices.push_back(column);
      matrix.values.push_back(row != column ? -0.5 : row == 0 ? 2000.0 : 2.0 + 0.001 * row);
    }
    matrix.row_offsets.push_back(static_cast<std::int64_t>(matrix.values.size()));
  }
  return matrix;
}

TYPED_TEST(CudaPersistentTest, RunsRowsOfVeryDifferentLengths) {
  expect_iterates_of_the_cpu<TypeParam>(power_law(full_or_brief(6000, 300), 12, 2.1, 7), Layout{},
                                        persistent, full_or_brief(6, 2));
}

TYPED_TEST(CudaPersistentTest, RunsRowsThatSeveralWarpsShare) {
  for (const std::int64_t rows : {std::int64_t{601}, full_or_brief(3000, 602)}) {
    for (const int block_size : {1, 3}) {
      for (const CudaPolicy& policy : {persistent, without_cluster}) {
        expect_iterates_of_the_cpu<TypeParam>(arrow(rows), block_layout(block_size), policy, 2);
      }
    }
  }
}

TYPED_TEST(CudaPersistentTest, RowsThatSeveralWarpsShareRepeatTheirBits) {
  using T = TypeParam;
  const auto system = make_system<T>(arrow(full_or_brief(5000, 601)));
  std::vector<T> first;
  for (int repeat = 0; repeat < 3; ++repeat) {
    CudaBackend gpu(0, persistent);
    const auto prepared = begin_fused(gpu, system);
    EXPECT_EQ(prepared->run(2).iterations, 2);
    const auto u = vector_of(*prepared, "u", system.b.size());
    if (repeat == 0) first = u;
    EXPECT_EQ(u, first);
  }
}

TYPED_TEST(CudaPersistentTest, RunsWhatDoesNotFitInSharedMemory) {
  CudaPolicy policy = persistent;
  policy.persistent_unknowns_per_block = 1'000'000;  // one thread block
  policy.persistent_elements_per_block = 1'000'000;
  expect_iterates_of_the_cpu<TypeParam>(laplacian(5, 130, full_or_brief(120, 30)), Layout{}, policy,
                                        full_or_brief(8, 2));
  expect_iterates_of_the_cpu<TypeParam>(fem_elasticity(1, full_or_brief(9, 5), 1), block_layout(3),
                                        policy, full_or_brief(8, 2));
}

TYPED_TEST(CudaPersistentTest, RepeatsItsBits) {
  using T = TypeParam;
  for (const std::int64_t columns : {full_or_brief(77, 30), std::int64_t{10}}) {  // no cluster, one
    const auto system = make_system<T>(laplacian(5, 90, columns));
    std::vector<std::vector<T>> solutions;
    for (int repeat = 0; repeat < 3; ++repeat) {
      CudaBackend gpu(0, persistent);
      const auto prepared = begin_fused(gpu, system);
      EXPECT_EQ(prepared->run(full_or_brief(53, 8)).iterations, full_or_brief(53, 8));
      solutions.push_back(vector_of(*prepared, "x", system.b.size()));
      EXPECT_EQ(solutions.back(), solutions.front());
    }
  }
}

TYPED_TEST(CudaPersistentTest, RunsGoOnWhereTheLastOneStopped) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(5, 30, 30));
  CudaPolicy policy = persistent;
  CudaBackend gpu(0, policy);
  const auto whole = begin_fused(gpu, system);
  EXPECT_EQ(whole->run(41).iterations, 41);
  policy.iterations_per_persistent_launch = 5;
  CudaBackend gpu_in_parts(0, policy);
  const auto parts = begin_fused(gpu_in_parts, system);
  for (const std::int64_t count : {1, 17, 0, 8, 15}) {
    EXPECT_EQ(parts->run(count).iterations, count);
  }
  for (const char* name : {"x", "z", "u", "v"}) {
    EXPECT_EQ(vector_of(*whole, name, 900), vector_of(*parts, name, 900)) << name;
  }
  EXPECT_EQ(parts->counters().iterations, 41);
  // Five iterations a launch: 1, 4, 2 and 3 launches.
  EXPECT_EQ(parts->counters().launches - whole->counters().launches, 10 - 1);
}

TYPED_TEST(CudaPersistentTest, IteratesFreezeAtTheExactIteration) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(5, 40, full_or_brief(33, 5)));
  CudaBackend gpu(0, persistent);
  const auto late = begin_fused(gpu, system, {}, 1e-4);
  const RunReport report = late->run(5000);
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_GT(report.iterations, 10);
  EXPECT_LT(report.iterations, 200);
  EXPECT_LE(late->scalar("r_r"), 1e-4);

  const auto exact = begin_fused(gpu, system, {}, 1e-4);
  const RunReport before = exact->run(report.iterations - 1);
  EXPECT_EQ(before.outcome, Outcome::iteration_limit);
  EXPECT_EQ(before.iterations, report.iterations - 1);
  EXPECT_GT(exact->scalar("r_r"), 1e-4);
  const RunReport last = exact->run(1);
  EXPECT_EQ(last.outcome, Outcome::converged);
  EXPECT_EQ(last.iterations, 1);
  for (const char* name : {"x", "z", "u", "v"}) {
    EXPECT_EQ(vector_of(*late, name, system.b.size()), vector_of(*exact, name, system.b.size()))
        << name;
  }
  for (const char* name : {"alpha", "beta", "s", "t", "r_r", "beta_minimum", "stalled"}) {
    EXPECT_EQ(late->scalar(name), exact->scalar(name)) << name;
  }
}

using CudaPersistentOutcomeTest = GpuTest;

using Disturb = std::function<void(PreparedSchedule<double>&)>;

/// Runs both back ends to the end, and compares how and when it came.
RunReport common_end(const CsrMatrix<double>& matrix, const std::vector<double>& b,
                     const Disturb& after_setup = {}) {
  System<double> system = make_system<double>(matrix);
  system.b = b;
  CpuBackend cpu(1, 1);
  CudaBackend gpu(0, persistent);
  const auto expected = begin_fused(cpu, system);
  const auto actual = begin_fused(gpu, system);
  if (after_setup) {
    after_setup(*expected);
    after_setup(*actual);
  }
  const RunReport expected_report = expected->run(100);
  const RunReport report = actual->run(100);
  EXPECT_EQ(report.outcome, expected_report.outcome);
  EXPECT_EQ(report.iterations, expected_report.iterations);
  const RunCounters expected_counters = expected->counters();
  const RunCounters counters = actual->counters();
  EXPECT_EQ(counters.kernels, expected_counters.kernels);
  EXPECT_EQ(counters.exchanges, expected_counters.exchanges);
  EXPECT_EQ(counters.barriers, expected_counters.barriers);
  return report;
}

TEST_F(CudaPersistentOutcomeTest, NotPositiveDefiniteIsFoundAsOnTheCpu) {
  CsrMatrix<double> indefinite;
  indefinite.rows = indefinite.columns = 2;
  indefinite.row_offsets = {0, 2, 4};
  indefinite.column_indices = {0, 1, 0, 1};
  indefinite.values = {1, 2, 2, 1};
  EXPECT_EQ(common_end(indefinite, {1, -1}).outcome, Outcome::not_positive_definite);
  const RunReport second = common_end(indefinite, {1, 0.25});
  EXPECT_EQ(second.outcome, Outcome::not_positive_definite);
  EXPECT_EQ(second.iterations, 2);
}

TEST_F(CudaPersistentOutcomeTest, NumbersThatAreNotFiniteEndTheRunAsOnTheCpu) {
  const CsrMatrix<double> matrix = laplacian(5, 20, 21);
  const std::vector<double> b(420, 1);
  const auto spoil_v = [](double value) {
    return [value](PreparedSchedule<double>& prepared) {
      std::vector<double> v(420, 1);
      v[123] = value;
      prepared.set_vector("v", v);
    };
  };
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), 1e200}) {
    const RunReport report = common_end(matrix, b, spoil_v(value));
    EXPECT_EQ(report.outcome, Outcome::not_finite);
    EXPECT_EQ(report.iterations, 1);
  }
  // p.Ap is finite then, r.r is not.
  const RunReport report = common_end(matrix, b, [](PreparedSchedule<double>& prepared) {
    prepared.set_scalar("alpha", std::numeric_limits<double>::infinity());
  });
  EXPECT_EQ(report.outcome, Outcome::not_finite);
}

TEST_F(CudaPersistentOutcomeTest, StagnationEndsTheRunAsOnTheCpu) {
  // No beta is a new minimum.
  const RunReport report = common_end(laplacian(5, 20, 21), std::vector<double>(420, 1),
                                      [](PreparedSchedule<double>& prepared) {
                                        prepared.set_scalar("beta_minimum", 0);
                                        prepared.set_scalar("patience", 7);
                                      });
  EXPECT_EQ(report.outcome, Outcome::stagnated);
  EXPECT_EQ(report.iterations, 7);
}

TEST_F(CudaPersistentOutcomeTest, TheEndOfTheRecursionIsConvergence) {
  // A multiple of the identity: done after one iteration.
  CsrMatrix<double> identity;
  identity.rows = identity.columns = 300;
  identity.row_offsets = {0};
  for (std::int32_t row = 0; row < 300; ++row) {
    identity.column_indices.push_back(row);
    identity.values.push_back(4);
    identity.row_offsets.push_back(row + 1);
  }
  const RunReport report = common_end(identity, std::vector<double>(300, 2));
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_EQ(report.iterations, 1);
}

TEST_F(CudaPersistentOutcomeTest, SolvesInAsManyIterationsAsTheCpuWithinTwoPercent) {
  const std::vector<CsrMatrix<double>> matrices{
      laplacian(5, full_or_brief(100, 12), full_or_brief(100, 12)),
      laplacian(27, full_or_brief(20, 4), full_or_brief(20, 4), full_or_brief(20, 4)),
      fem_elasticity(1, full_or_brief(10, 2), 1)};
  for (const CsrMatrix<double>& matrix : matrices) {
    const System<double> system = make_system<double>(matrix);
    double b_b = 0;
    for (const double value : system.b) b_b += value * value;
    CpuBackend cpu(1, 1);
    CudaBackend gpu(0, persistent);
    const auto expected = begin_fused(cpu, system, block_layout(3), 1e-16 * b_b)->run(5000);
    const auto actual = begin_fused(gpu, system, block_layout(3), 1e-16 * b_b)->run(5000);
    EXPECT_EQ(actual.outcome, Outcome::converged);
    EXPECT_EQ(expected.outcome, Outcome::converged);
    EXPECT_NEAR(static_cast<double>(actual.iterations), static_cast<double>(expected.iterations),
                0.02 * static_cast<double>(expected.iterations));
  }
}

using CudaPersistentModeTest = GpuTest;

TEST_F(CudaPersistentModeTest, CountsWhatTheScheduleSays) {
  const auto system = make_system<double>(laplacian(5, 50, 60));
  std::vector<RunCounters> counted;
  for (const LaunchMode mode : {LaunchMode::plain, LaunchMode::persistent}) {
    CudaBackend gpu(0, policy_for(mode));
    const auto prepared = begin_fused(gpu, system);
    const RunCounters before = prepared->counters();
    EXPECT_EQ(prepared->run(21).iterations, 21);
    counted.push_back(prepared->counters());
    counted.back().launches -= before.launches;
    counted.back().bytes.values -= before.bytes.values;
  }
  const RunCounters& steps = counted[0];
  const RunCounters& whole = counted[1];
  EXPECT_EQ(steps.launches, 3 * 21);
  EXPECT_EQ(whole.launches, 1);
  EXPECT_EQ(whole.iterations, steps.iterations);
  EXPECT_EQ(whole.kernels, steps.kernels);
  EXPECT_EQ(whole.exchanges, steps.exchanges);
  EXPECT_EQ(whole.barriers, steps.barriers);
  EXPECT_EQ(whole.bytes.vector_reads, steps.bytes.vector_reads);
  EXPECT_EQ(whole.bytes.vector_writes, steps.bytes.vector_writes);
  // The cut fills rows up.
  EXPECT_GE(whole.bytes.values, steps.bytes.values);
}

TEST_F(CudaPersistentModeTest, BytesAreThoseOfTheMatrixThatTheKernelStoresNotOfTheLayout) {
  const auto system = make_system<double>(laplacian(5, 50, 60));
  const auto bytes_of_a_run = [&](const Layout& layout) {
    CudaBackend gpu(0, persistent);
    const auto prepared = begin_fused(gpu, system, layout);
    const BytesByKind before = prepared->counters().bytes;
    prepared->run(21);
    BytesByKind bytes = prepared->counters().bytes;
    bytes.values -= before.values;
    bytes.indices -= before.indices;
    bytes.row_pointers -= before.row_pointers;
    return bytes;
  };
  const BytesByKind in_csr = bytes_of_a_run(Layout{});
  for (const int block_size : {2, 4, 8}) {
    const BytesByKind in_blocks = bytes_of_a_run(block_layout(block_size));
    EXPECT_EQ(in_blocks.values, in_csr.values) << block_size;
    EXPECT_EQ(in_blocks.indices, in_csr.indices) << block_size;
    EXPECT_EQ(in_blocks.row_pointers, in_csr.row_pointers) << block_size;
  }
}

TEST(CompiledKernels, ForAllIterationsAreThereForTheFusedOneOfThoseThatComeAsCode) {
  for (const Solver& solver : built_in_solvers()) {
    const auto plan = plan_persistent(solver.schedule);
    EXPECT_EQ(std::holds_alternative<PersistentPlan>(plan), solver.name() == "fused")
        << solver.name();
  }
}

TEST_F(CudaPersistentModeTest, OtherSchedulesAreRefused) {
  const auto system = make_system<float>(laplacian(5, 10, 10));
  CudaBackend gpu(0, persistent);
  const std::string message =
      refusal_of([&] { gpu.prepare(algorithm1_schedule(), system.matrix.view(), Layout{}); });
  EXPECT_NE(message.find("algorithm1"), std::string::npos) << message;
  EXPECT_NE(message.find("persistent"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST_F(CudaPersistentModeTest, SystemsTooLargeForItAreRefused) {
  // Every segment needs most of the vector.
  RandomMatrixSpec spec;
  spec.rows = 60'000;
  spec.mean_row_length = 300;
  const auto matrix = random_matrix(spec);
  CudaBackend gpu(0, persistent);
  const std::string message =
      refusal_of([&] { gpu.prepare(fused_cg_schedule(), matrix.view(), Layout{}); });
  EXPECT_NE(message.find("shared memory"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST_F(CudaPersistentModeTest, AutomaticIsPersistentForSmallSystemsAndElseAGraph) {
  const auto launches = [](const char* schedule, const CudaPolicy& policy) {
    const auto system = make_system<double>(laplacian(5, 40, 40));
    CudaBackend gpu(0, policy);
    const auto prepared = begin_cg(gpu, system, Layout{}, -1, schedule);
    const std::int64_t before = prepared->counters().launches;
    EXPECT_EQ(prepared->run(9).iterations, 9);
    return prepared->counters().launches - before;
  };
  CudaPolicy policy = policy_for(LaunchMode::automatic);
  EXPECT_EQ(launches("fused", policy), 1);
  EXPECT_GT(launches("algorithm1", policy), 9);
  policy.persistent_bytes_per_multiprocessor = 1;
  EXPECT_EQ(launches("fused", policy), 3 * 9);
}

}  // namespace
}  // namespace sparsecast
