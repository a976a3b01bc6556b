#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/engine/own_solver.hpp"
#include "core/engine/shipped_schedules.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/relative_difference.hpp"
#include "cuda/cg_system.hpp"
#include "cuda/gpu_test.hpp"
#include "cuda/planned_schedules.hpp"

// Kernels for all iterations that are made of schedules: they do what the same steps do one by one.

namespace sparsecast {
namespace {

CudaPolicy without_cluster() {
  CudaPolicy policy = policy_for(LaunchMode::persistent);
  policy.persistent_cluster_blocks = 0;
  return policy;
}

/// More thread blocks than the size asks for, so that there is a halo.
CudaPolicy in_small_segments(CudaPolicy policy) {
  policy.persistent_unknowns_per_block = 40;
  return policy;
}

template <class T>
std::unique_ptr<PreparedSchedule<T>> begin(Backend& backend, const Schedule& schedule,
                                           const CsrMatrix<T>& matrix, const std::vector<T>& b,
                                           const Layout& layout) {
  auto prepared = backend.prepare(schedule, matrix.view(), layout);
  prepared->set_vector("b", b);
  if (std::ranges::count(schedule.vectors, "M", &VectorDeclaration::name) > 0) {
    std::vector<T> inverse;
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      for (auto k = matrix.row_offsets[static_cast<std::size_t>(row)];
           k < matrix.row_offsets[static_cast<std::size_t>(row) + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        if (matrix.column_indices[at] == row) inverse.push_back(1 / matrix.values[at]);
      }
    }
    prepared->set_vector("M", inverse);
  }
  prepared->run_setup();
  return prepared;
}

/// Vectors and scalars after some runs of some iterations each are those of single steps.
template <class T>
void expect_iterates_of_single_steps(const std::string& name, const CsrMatrix<double>& system,
                                     const Layout& layout, const CudaPolicy& policy) {
  SCOPED_TRACE(name + ", " + to_string(layout));
  const OwnSolver solver(shipped_method(name), {});
  const CsrMatrix<T> matrix = convert_values<T>(system.view());
  const Schedule schedule = solver.for_matrix(matrix.view()).schedule;
  std::mt19937 random(20);
  const std::vector<T> b = random_vector<T>(matrix.rows, random);
  CudaBackend steps(0, policy_for(LaunchMode::graph));
  CudaBackend whole(0, policy);
  const auto expected = begin<T>(steps, schedule, matrix, b, layout);
  const auto actual = begin<T>(whole, schedule, matrix, b, layout);
  const double tolerance = std::is_same_v<T, float> ? 2e-3 : 1e-9;
  // Small systems converge soon; what is left then is rounding.
  for (const std::int64_t iterations :
       {std::int64_t{1}, std::int64_t{1}, full_or_brief(3, 1), full_or_brief(4, 1)}) {
    ASSERT_EQ(actual->run(iterations).iterations, expected->run(iterations).iterations);
    for (const VectorDeclaration& vector : schedule.vectors) {
      const auto values = vector_of(*expected, vector.name.c_str(), b.size());
      if (std::ranges::all_of(values, [](T value) { return value == 0; })) continue;
      ASSERT_LT(relative_difference(vector_of(*actual, vector.name.c_str(), b.size()), values),
                tolerance)
          << vector.name;
    }
    for (const ScalarDeclaration& scalar : schedule.scalars) {
      const double value = expected->scalar(scalar.name);
      if (std::isinf(value)) continue;  // a constant
      ASSERT_NEAR(actual->scalar(scalar.name), value, tolerance * std::abs(value) + 1e-300)
          << scalar.name;
    }
  }
  const RunCounters counted = expected->counters();
  const RunCounters counters = actual->counters();
  EXPECT_EQ(counters.iterations, counted.iterations);
  EXPECT_EQ(counters.kernels, counted.kernels);
  EXPECT_EQ(counters.exchanges, counted.exchanges);
  EXPECT_LT(counters.launches, counted.launches);
}

CsrMatrix<double> system_for(const std::string& name, std::int64_t size) {
  return shipped_method(name).needs != MatrixKind::square ? laplacian(5, size, size - 1)
                                                          : dominant_matrix(size * size / 8);
}

template <class T>
class CudaPersistentScheduleTest : public GpuTest {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaPersistentScheduleTest, ValueTypes);

TYPED_TEST(CudaPersistentScheduleTest, IteratesAreThoseOfSingleSteps) {
  for (const std::string& name : planned_names()) {
    const auto matrix = system_for(name, full_or_brief(60, 20));
    for (const CudaPolicy& policy : {policy_for(LaunchMode::persistent), without_cluster(),
                                     in_small_segments(policy_for(LaunchMode::persistent)),
                                     in_small_segments(without_cluster())}) {
      expect_iterates_of_single_steps<TypeParam>(name, matrix, Layout{}, policy);
    }
    expect_iterates_of_single_steps<TypeParam>(name, matrix, block_layout(3),
                                               in_small_segments(without_cluster()));
  }
}

TYPED_TEST(CudaPersistentScheduleTest, RunsSystemsWithLongHalos) {
  for (const std::string name : {"cg", "pipelined-cg", "bicgstab"}) {
    const auto matrix = laplacian(7, full_or_brief(24, 8), full_or_brief(24, 8), 20);
    expect_iterates_of_single_steps<TypeParam>(name, matrix, Layout{}, without_cluster());
  }
}

TYPED_TEST(CudaPersistentScheduleTest, RunsWhatDoesNotFitInSharedMemory) {
  CudaPolicy policy = policy_for(LaunchMode::persistent);
  policy.persistent_unknowns_per_block = 1'000'000;  // one thread block
  policy.persistent_elements_per_block = 1'000'000;
  for (const std::string name : {"cg", "pipelined-cg", "bicgstab"}) {
    const auto matrix = laplacian(5, 90, full_or_brief(70, 30));
    expect_iterates_of_single_steps<TypeParam>(name, matrix, Layout{}, policy);
  }
}

TYPED_TEST(CudaPersistentScheduleTest, RepeatsItsBits) {
  using T = TypeParam;
  for (const std::string name : {"pipelined-cg", "bicgstab"}) {
    const CsrMatrix<T> matrix = convert_values<T>(system_for(name, full_or_brief(200, 40)).view());
    const Schedule schedule =
        OwnSolver(shipped_method(name), {}).for_matrix(matrix.view()).schedule;
    std::mt19937 random(21);
    const std::vector<T> b = random_vector<T>(matrix.rows, random);
    std::vector<T> first;
    for (int repeat = 0; repeat < 3; ++repeat) {
      CudaBackend gpu(0, without_cluster());
      const auto prepared = begin<T>(gpu, schedule, matrix, b, Layout{});
      prepared->run(full_or_brief(20, 4));
      const auto x = vector_of(*prepared, "x", b.size());
      if (repeat == 0) first = x;
      EXPECT_EQ(x, first) << name;
    }
  }
}

class CudaPersistentSolveTest : public GpuTest {};

TEST_F(CudaPersistentSolveTest, SolvesByEveryScheduleThatHasAKernel) {
  for (const std::string& name : planned_names()) {
    SCOPED_TRACE(name);
    CudaBackend backend(0, policy_for(LaunchMode::persistent));
    ShippedSystem(name).expect_solved(backend, Execution::fused);
  }
}

TEST_F(CudaPersistentSolveTest, EndsInTheMiddleOfAnIterationAsSingleStepsDo) {
  // Not positive definite: the run ends behind the product.
  CsrMatrix<double> matrix = laplacian(5, 12, 12);
  for (double& value : matrix.values) value = -value;
  for (const std::string name : {"cg", "pipelined-cg"}) {
    SCOPED_TRACE(name);
    const Schedule schedule =
        OwnSolver(shipped_method(name), {}).for_matrix(matrix.view()).schedule;
    std::vector<RunReport> reports;
    std::vector<RunCounters> counters;
    for (const LaunchMode mode : {LaunchMode::graph, LaunchMode::persistent}) {
      CudaBackend gpu(0, policy_for(mode));
      const std::vector<double> b(static_cast<std::size_t>(matrix.rows), 1.5);
      const auto prepared = begin<double>(gpu, schedule, matrix, b, Layout{});
      reports.push_back(prepared->run(10));
      counters.push_back(prepared->counters());
    }
    EXPECT_EQ(reports[0].outcome, reports[1].outcome);
    EXPECT_EQ(reports[0].iterations, reports[1].iterations);
    EXPECT_EQ(counters[0].kernels, counters[1].kernels);
  }
}

}  // namespace
}  // namespace sparsecast
