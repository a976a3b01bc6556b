#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/engine/linear_system.hpp"
#include "core/engine/ranks/rank_matrix.hpp"
#include "core/engine/ranks/thread_ranks.hpp"
#include "core/engine/solve.hpp"
#include "core/engine/solve_method.hpp"
#include "core/random_csr.hpp"
#include "core/schedule/method/method.hpp"

/// @file
/// Solves by ranks that are threads, beside those of one process.

namespace sparsecast {

/// What several ranks solve, and how.
struct RankSolve {
  CsrMatrix<double> matrix;
  const Method* method = nullptr;  ///< nullptr: our conjugate gradients
  Layout layout{};
  StopRule stop{.tolerance = 1e-10, .max_iterations = 5000};
  int threads = 1;
  NamedNumbers settings{};
  bool from_zero = true;  ///< otherwise from numbers that are not
};

/// The solution, and what rank 0 says of it.
struct Solved {
  SolveResult result;
  std::vector<double> x;
};

inline std::vector<double> right_side(std::int64_t rows) {
  std::mt19937 random(3);
  std::vector<double> b;
  for (std::int64_t i = 0; i < rows; ++i) b.push_back(random_value(random));
  return b;
}

template <class T>
SolveResult solve_alone_or_together(const RankSolve& what, Backend& backend,
                                    const CsrMatrix<double>& matrix, const std::vector<double>& b,
                                    std::vector<double>& x, const RankPart* part) {
  const CsrMatrix<T> converted = convert_values<T>(matrix.view());
  const std::vector<T> right(b.begin(), b.end());
  std::vector<T> solution(x.begin(), x.end());
  SolveOptions options;
  options.layout = what.layout;
  options.stop = what.stop;
  options.part = part;
  const SolveResult result = what.method != nullptr
                                 ? solve_by_method<T>(backend, *what.method, what.settings,
                                                      converted.view(), right, solution, options)
                                 : solve(backend, converted.view(), std::span<const T>(right),
                                         std::span<T>(solution), options);
  x.assign(solution.begin(), solution.end());
  return result;
}

inline double start_value(std::int64_t row) {
  return 1 + static_cast<double>(row % 5);
}

template <class T>
Solved solve_alone(const RankSolve& what) {
  CpuBackend backend(1, 1);
  Solved solved{{}, std::vector<double>(static_cast<std::size_t>(what.matrix.rows), 0)};
  if (!what.from_zero) {
    for (std::int64_t row = 0; row < what.matrix.rows; ++row) solved.x[row] = start_value(row);
  }
  solved.result = solve_alone_or_together<T>(what, backend, what.matrix,
                                             right_side(what.matrix.rows), solved.x, nullptr);
  return solved;
}

/// Every rank knows some of the entries at first.
inline Buffer<WholeEntry> known_entries(const CsrMatrix<double>& matrix,
                                        const Communicator& ranks) {
  Buffer<WholeEntry> entries;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (auto k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      if (k % ranks.size() != ranks.rank()) continue;
      entries.push_back({row, matrix.column_indices[k], matrix.values[k]});
    }
  }
  return entries;
}

/// The back end of a rank for its part of the system.
using BackendOfRank = std::function<std::unique_ptr<Backend>(const RankPart&)>;

template <class T>
Solved solve_by_ranks(const RankSolve& what, int size, const BackendOfRank& backend_of,
                      int row_alignment, const ThreadRanks::Copy& copy = {}) {
  const int alignment =
      std::lcm(row_alignment, what.method != nullptr ? rows_together(*what.method) : 1);
  Solved solved;
  const std::vector<double> whole_b = right_side(what.matrix.rows);
  const auto body = [&](Communicator& ranks) {
    const RankMatrix mine = distribute(ranks, what.matrix.rows, known_entries(what.matrix, ranks),
                                       {what.layout.block_size, true, 1, alignment});
    const RankPart& part = mine.part;
    std::vector<double> b(static_cast<std::size_t>(mine.matrix.rows), 0);
    std::copy_n(whole_b.begin() + part.rows.begin(ranks.rank()), part.own.rows(),
                b.begin() + part.own.begin_row);
    std::vector<double> x(b.size(), 0);
    if (!what.from_zero) {
      // The halo's numbers do not matter.
      std::ranges::fill(x, 7.0);
      for (std::int64_t k = 0; k < part.own.rows(); ++k) {
        x[static_cast<std::size_t>(part.own.begin_row + k)] =
            start_value(part.rows.begin(ranks.rank()) + k);
      }
    }
    const std::unique_ptr<Backend> backend = backend_of(part);
    const SolveResult result = solve_alone_or_together<T>(what, *backend, mine.matrix, b, x, &part);
    if (ranks.rank() == 0) solved.result = result;
    gather_in_turn(part, std::span(x).subspan(part.own.begin_row, part.own.rows()),
                   [&](std::span<const double> values) {
                     solved.x.insert(solved.x.end(), values.begin(), values.end());
                   });
  };
  ThreadRanks::run(size, body, copy);
  return solved;
}

/// On the CPU.
template <class T>
Solved solve_by_ranks(const RankSolve& what, int size) {
  const auto on_cpu = [&](const RankPart& part) {
    CpuPolicy eager;
    eager.values_per_thread = 1;
    return std::make_unique<CpuBackend>(part, what.threads, eager);
  };
  return solve_by_ranks<T>(what, size, on_cpu, 1);
}

inline void expect_alike(const Solved& together, const Solved& alone, double tolerance) {
  EXPECT_EQ(together.result.outcome, alone.result.outcome);
  EXPECT_NEAR(static_cast<double>(together.result.iterations),
              static_cast<double>(alone.result.iterations),
              2 + 0.02 * static_cast<double>(alone.result.iterations));
  EXPECT_NEAR(together.result.right_hand_side_norm, alone.result.right_hand_side_norm, 1e-5);
  ASSERT_EQ(together.x.size(), alone.x.size());
  const double scale = norm(std::span<const double>(alone.x));
  std::vector<double> difference = alone.x;
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= together.x[i];
  EXPECT_LE(norm(std::span<const double>(difference)), tolerance * scale);
}

}  // namespace sparsecast
