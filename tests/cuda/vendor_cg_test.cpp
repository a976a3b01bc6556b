#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/relative_difference.hpp"
#include "core/schedule/cg_schedule.hpp"
#include "cuda/cg_system.hpp"
#include "cuda/gpu_test.hpp"

namespace sparsecast {
namespace {

constexpr LaunchMode modes[]{LaunchMode::host, LaunchMode::plain, LaunchMode::graph};

CudaBackend backend(LaunchMode mode) {
  return CudaBackend(0, policy_for(mode));
}

/// After the setup, from x = 0.
template <class T>
std::unique_ptr<PreparedSchedule<T>> begin_cg(LaunchMode mode, const System<T>& system) {
  auto prepared = backend(mode).prepare(vendor_cg_schedule(), system.matrix.view(), Layout{});
  prepared->set_vector("b", system.b);
  prepared->set_vector("c", system.c);
  EXPECT_EQ(prepared->run_setup().outcome, Outcome::iteration_limit);
  return prepared;
}

template <class T>
std::vector<T> x_of(const PreparedSchedule<T>& prepared, std::size_t size) {
  std::vector<T> values = poison<T>(static_cast<std::int64_t>(size));
  prepared.get_vector("x", values);
  return values;
}

/// Jacobi-preconditioned conjugate gradients in double, as textbooks have it.
class ReferenceCg {
 public:
  template <class T>
  explicit ReferenceCg(const System<T>& system)
      : matrix_(convert_values<double>(system.matrix.view())),
        r_(system.b.begin(), system.b.end()),
        x_(r_.size(), 0),
        z_(r_.size()),
        p_(r_.size()) {
    for (const T c : system.c) inverse_diagonal_.push_back(static_cast<double>(c) * c);
    precondition();
    p_ = z_;
    rho_ = dot(r_, z_);
  }

  void iterate() {
    std::vector<double> q(r_.size(), 0);
    for (std::size_t row = 0; row < q.size(); ++row) {
      for (auto e = static_cast<std::size_t>(matrix_.row_offsets[row]);
           e < static_cast<std::size_t>(matrix_.row_offsets[row + 1]); ++e) {
        q[row] += matrix_.values[e] * p_[static_cast<std::size_t>(matrix_.column_indices[e])];
      }
    }
    const double step = rho_ / dot(p_, q);
    for (std::size_t i = 0; i < q.size(); ++i) {
      x_[i] += step * p_[i];
      r_[i] -= step * q[i];
    }
    precondition();
    const double next = dot(r_, z_);
    for (std::size_t i = 0; i < q.size(); ++i) p_[i] = z_[i] + next / rho_ * p_[i];
    rho_ = next;
  }

  template <class T>
  double difference(const std::vector<T>& x) const {
    return relative_difference(x, x_);
  }
  double residual_norm() const { return std::sqrt(dot(r_, r_)); }

 private:
  void precondition() {
    for (std::size_t i = 0; i < r_.size(); ++i) z_[i] = inverse_diagonal_[i] * r_[i];
  }
  static double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  CsrMatrix<double> matrix_;
  std::vector<double> r_, x_, z_, p_, inverse_diagonal_;
  double rho_ = 0;
};

template <class T>
class VendorCgTest : public GpuTest {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(VendorCgTest, ValueTypes);

TYPED_TEST(VendorCgTest, FirstTwentyIteratesAreThoseOfTheTextbook) {
  using T = TypeParam;
  const auto system = make_system<T>(fem_elasticity(1, full_or_brief(6, 2), 3));
  const double tolerance = std::is_same_v<T, float> ? 2e-4 : 1e-12;
  for (const LaunchMode mode : modes) {
    SCOPED_TRACE(to_string(mode));
    ReferenceCg expected(system);
    const auto actual = begin_cg(mode, system);
    for (int iteration = 1; iteration <= full_or_brief(20, 4); ++iteration) {
      expected.iterate();
      const RunReport report = actual->run(1);
      EXPECT_EQ(report.iterations, 1);
      EXPECT_EQ(report.outcome, Outcome::iteration_limit);
      ASSERT_LT(expected.difference(x_of(*actual, system.b.size())), tolerance)
          << "iteration " << iteration;
      EXPECT_NEAR(std::sqrt(actual->scalar("r_r")), expected.residual_norm(),
                  1e3 * tolerance * expected.residual_norm());
    }
  }
}

TYPED_TEST(VendorCgTest, RunsOfManyIterationsEndWhereRunsOfOneDo) {
  using T = TypeParam;
  const std::int64_t iterations = full_or_brief(37, 11);
  const auto system = make_system<T>(laplacian(5, 40, 33));
  const double tolerance = std::is_same_v<T, float> ? 1e-3 : 1e-11;
  for (const LaunchMode mode : modes) {
    SCOPED_TRACE(to_string(mode));
    ReferenceCg expected(system);
    for (int i = 0; i < iterations; ++i) expected.iterate();
    const auto actual = begin_cg(mode, system);
    EXPECT_EQ(actual->run(iterations).iterations, iterations);
    EXPECT_LT(expected.difference(x_of(*actual, system.b.size())), tolerance);
    EXPECT_EQ(actual->counters().iterations, iterations);
  }
}

TYPED_TEST(VendorCgTest, AConvergedRunCountsIterationsOnTheHostAndBatchesOnTheDevice) {
  using T = TypeParam;
  const std::int64_t size = full_or_brief(40, 12);
  const auto system = make_system<T>(laplacian(5, size, size));
  ReferenceCg expected(system);
  const double target = 1e-3 * expected.residual_norm();
  std::int64_t exact = 0;
  for (; expected.residual_norm() > target; ++exact) expected.iterate();
  for (const LaunchMode mode : modes) {
    SCOPED_TRACE(to_string(mode));
    const auto actual = begin_cg(mode, system);
    actual->set_scalar("r_r_threshold", target * target);
    const RunReport report = actual->run(5000);
    EXPECT_EQ(report.outcome, Outcome::converged);
    EXPECT_LE(actual->scalar("r_r"), target * target);
    if (mode == LaunchMode::host) {
      EXPECT_NEAR(static_cast<double>(report.iterations), static_cast<double>(exact), 1);
    } else {
      const std::int64_t batch = CudaPolicy{}.iterations_between_polls;
      EXPECT_EQ(report.iterations % batch, 0);
      EXPECT_GE(report.iterations, exact - 1);
      EXPECT_LE(report.iterations, exact + 2 * batch);
    }
  }
}

TYPED_TEST(VendorCgTest, EndsWithTheOutcomeThatTheMatrixDeserves) {
  using T = TypeParam;
  System<T> indefinite;
  indefinite.matrix.rows = indefinite.matrix.columns = 2;
  indefinite.matrix.row_offsets = {0, 2, 4};
  indefinite.matrix.column_indices = {0, 1, 0, 1};
  indefinite.matrix.values = {1, 2, 2, 1};
  indefinite.b = {1, -1};
  indefinite.c = {1, 1};
  System<T> infinite = make_system<T>(laplacian(3, 50));
  infinite.b.assign(50, std::numeric_limits<T>::max() / 4);
  for (const LaunchMode mode : modes) {
    SCOPED_TRACE(to_string(mode));
    const auto stopped = begin_cg(mode, indefinite);
    EXPECT_EQ(stopped->run(40).outcome, Outcome::not_positive_definite);
    EXPECT_EQ(x_of(*stopped, 2), (std::vector<T>{0, 0}));  // as it was before that iteration

    auto overflown = backend(mode).prepare(vendor_cg_schedule(), infinite.matrix.view(), Layout{});
    overflown->set_vector("b", infinite.b);
    overflown->set_vector("c", infinite.c);
    EXPECT_EQ(overflown->run_setup().outcome, Outcome::not_finite);
  }
}

TYPED_TEST(VendorCgTest, CountsWhatTheScheduleSays) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(5, 50, 60));
  const auto prepared = begin_cg(LaunchMode::host, system);
  const RunCounters before = prepared->counters();
  EXPECT_EQ(prepared->run(21).iterations, 21);
  const RunCounters after = prepared->counters();
  std::int64_t kernels = 0;
  std::int64_t launches = 0;
  BytesByKind bytes;
  for (const Step& step : vendor_cg_schedule().iteration) {
    kernels += step.kind == StepKind::kernel ? 1 : 0;
    launches += step.launches;
    const BytesByKind moved = bytes_moved(step, prepared->segments().at(0), precision_of<T>());
    bytes.values += moved.values;
    bytes.indices += moved.indices;
    bytes.row_pointers += moved.row_pointers;
    bytes.vector_reads += moved.vector_reads;
    bytes.vector_writes += moved.vector_writes;
  }
  EXPECT_EQ(after.kernels - before.kernels, 21 * kernels);
  EXPECT_EQ(after.launches - before.launches, 21 * launches);
  EXPECT_EQ(after.bytes.values - before.bytes.values, 21 * bytes.values);
  EXPECT_EQ(after.bytes.indices - before.bytes.indices, 21 * bytes.indices);
  // One offset more than rows.
  EXPECT_NEAR(after.bytes.row_pointers - before.bytes.row_pointers, 21 * bytes.row_pointers,
              21 * 4);
  EXPECT_EQ(after.bytes.vector_reads - before.bytes.vector_reads, 21 * bytes.vector_reads);
  EXPECT_EQ(after.bytes.vector_writes - before.bytes.vector_writes, 21 * bytes.vector_writes);
}

TYPED_TEST(VendorCgTest, ABatchOnTheDeviceComputesItsResidualOnce) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(5, 50, 60));
  const auto prepared = begin_cg(LaunchMode::graph, system);
  const std::int64_t before = prepared->counters().kernels;
  prepared->run(2 * CudaPolicy{}.iterations_between_polls);
  // Product, two dots, three axpys, scal, preconditioner; and r.r.
  EXPECT_EQ(prepared->counters().kernels - before, 2 * 16 * 8 + 2);
}

TYPED_TEST(VendorCgTest, RefusesInOneLineWhatTheLibrariesDoNotHave) {
  using T = TypeParam;
  const auto system = make_system<T>(laplacian(5, 8, 8));
  const auto expect_refusal = [](const std::function<void()>& work, const char* word) {
    try {
      work();
      FAIL() << "accepted; expected a word of " << word;
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(word), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  };
  expect_refusal(
      [&] {
        backend(LaunchMode::graph)
            .prepare(vendor_cg_schedule(), system.matrix.view(), block_layout(2));
      },
      "bcsr2");
  Layout sorted;
  sorted.row_order = RowOrder::sorted;
  expect_refusal(
      [&] {
        backend(LaunchMode::graph).prepare(vendor_cg_schedule(), system.matrix.view(), sorted);
      },
      "layout csr only");
  expect_refusal(
      [&] {
        backend(LaunchMode::persistent)
            .prepare(vendor_cg_schedule(), system.matrix.view(), Layout{});
      },
      "persistent");
  CsrMatrix<T> wide = system.matrix;
  wide.columns += 1;
  expect_refusal(
      [&] { backend(LaunchMode::graph).prepare(vendor_cg_schedule(), wide.view(), Layout{}); },
      "square");
  Schedule guarded = vendor_cg_schedule();
  guarded.iteration[0].guard = ScalarTest{0, Comparison::less, 1};
  expect_refusal(
      [&] { backend(LaunchMode::graph).prepare(guarded, system.matrix.view(), Layout{}); },
      "cusparseSpMV");
}

}  // namespace
}  // namespace sparsecast
