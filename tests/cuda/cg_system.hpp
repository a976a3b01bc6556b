#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "core/cuda/cuda_backend.hpp"
#include "core/relative_difference.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "cuda/gpu_test.hpp"

/// @file
/// Systems on which the GPU's conjugate gradients are tested.

namespace sparsecast {

template <class T>
struct System {
  CsrMatrix<T> matrix;
  std::vector<T> b;
  std::vector<T> c;
};

template <class T>
System<T> make_system(const CsrMatrix<double>& matrix) {
  std::mt19937 random(1952);
  System<T> system{convert_values<T>(matrix.view()), random_vector<T>(matrix.rows, random), {}};
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row) {
    for (auto e = static_cast<std::size_t>(matrix.row_offsets[row]);
         e < static_cast<std::size_t>(matrix.row_offsets[row + 1]); ++e) {
      if (matrix.column_indices[e] == static_cast<std::int32_t>(row)) {
        system.c.push_back(static_cast<T>(1 / std::sqrt(matrix.values[e])));
      }
    }
  }
  return system;
}

inline constexpr std::array cg_schedules{"algorithm1", "fused"};

/// Conjugate gradients after their setup, from x = 0, that converge when r.r is at most the
/// threshold.
template <class T>
std::unique_ptr<PreparedSchedule<T>> begin_cg(Backend& backend, const System<T>& system,
                                              const Layout& layout, double r_r_threshold = -1,
                                              std::string_view schedule = "algorithm1") {
  auto prepared = backend.prepare(built_in(schedule).schedule, system.matrix.view(), layout);
  prepared->set_vector("b", system.b);
  prepared->set_vector("c", system.c);
  if (r_r_threshold >= 0) {
    if (schedule == "algorithm1") {
      prepared->set_scalar("beta_threshold", std::numeric_limits<double>::max());
    }
    prepared->set_scalar("r_r_threshold", r_r_threshold);
  }
  EXPECT_EQ(prepared->run_setup().outcome, Outcome::iteration_limit);
  return prepared;
}

template <class T>
std::vector<T> vector_of(const PreparedSchedule<T>& prepared, const char* name, std::size_t size) {
  std::vector<T> values(size);
  prepared.get_vector(name, values);
  return values;
}

/// Converges in one run, and again in one that ends before the last iteration and one for that:
/// both must leave the same. Returns what the first reported.
template <class T>
RunReport expect_to_freeze_when_converged(Backend& backend, const System<T>& system,
                                          std::string_view schedule,
                                          std::span<const char* const> vectors) {
  constexpr double r_r_threshold = 1e-4;
  const auto late = begin_cg(backend, system, block_layout(1), r_r_threshold, schedule);
  const RunReport report = late->run(5000);
  EXPECT_EQ(report.outcome, Outcome::converged);
  const auto exact = begin_cg(backend, system, block_layout(1), r_r_threshold, schedule);
  const RunReport before = exact->run(report.iterations - 1);
  EXPECT_EQ(before.outcome, Outcome::iteration_limit);
  EXPECT_EQ(before.iterations, report.iterations - 1);
  const RunReport last = exact->run(1);
  EXPECT_EQ(last.outcome, Outcome::converged);
  EXPECT_EQ(last.iterations, 1);
  for (const char* name : vectors) {
    EXPECT_EQ(vector_of(*late, name, system.b.size()), vector_of(*exact, name, system.b.size()))
        << name;
  }
  for (const char* name : {"alpha", "beta", "s", "t", "r_r", "p_Ap"}) {
    EXPECT_EQ(late->scalar(name), exact->scalar(name)) << name;
  }
  return report;
}

/// x after each of the first iterations.
template <class T>
std::vector<std::vector<T>> iterates(Backend& backend, const System<T>& system,
                                     const Layout& layout, const char* schedule,
                                     std::int64_t count) {
  const auto prepared = begin_cg(backend, system, layout, -1, schedule);
  std::vector<std::vector<T>> found;
  for (std::int64_t iteration = 0; iteration < count; ++iteration) {
    EXPECT_EQ(prepared->run(1).iterations, 1);
    found.push_back(vector_of(*prepared, "x", system.b.size()));
  }
  return found;
}

template <class T>
void expect_iterates_near(const std::vector<std::vector<T>>& actual,
                          const std::vector<std::vector<T>>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_LT(relative_difference(actual[i], expected[i]), tolerance) << "iteration " << i + 1;
  }
}

inline CudaPolicy policy_for(LaunchMode mode) {
  CudaPolicy policy;
  policy.launch_mode = mode;
  return policy;
}

inline constexpr std::array exchange_modes{ExchangeMode::staged, ExchangeMode::peer,
                                           ExchangeMode::halo};

inline CudaPolicy exchanging(ExchangeMode mode, LaunchMode launch_mode = LaunchMode::graph) {
  CudaPolicy policy = policy_for(launch_mode);
  policy.exchange = mode;
  return policy;
}

}  // namespace sparsecast
