#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/engine/backend.hpp"
#include "core/engine/iteration_count.hpp"
#include "core/engine/run_in_parts.hpp"
#include "core/engine/solve_options.hpp"
#include "core/engine/solve_result.hpp"
#include "core/matrix/csr.hpp"
#include "core/schedule/method/method.hpp"

namespace sparsecast {

/// What to count.
struct CountedRun {
  const Method* method = nullptr;  ///< nullptr: our conjugate gradients (`SolveOptions`)
  NamedNumbers settings{};         ///< of its parameters
  Precision precision = Precision::f64;
  double tolerance = 1e-8;          ///< ||b - A x|| <= tolerance ||b||
  std::int64_t max_iterations = 0;  ///< `StopRule::max_iterations`
  double most_seconds = 60;         ///< for all right-hand sides together
  /// Called some ten times a second with what the run of now has done; false ends the counting.
  std::function<bool(const SolveProgress&)> keep_going{};
};

/// What was counted, and how long the solve of b took where it was.
struct CountedSolve {
  IterationCount count;
  double seconds = 0;  ///< iterations only
};

/// The amount of iterations that a solve took (`IterationCount::amount`). `steps`: of a whole
/// cycle, of a solver whose iterations are cycles (`cycle_steps`).
double amount_of(const SolveResult& result, const std::optional<double>& steps);

/// Counts iterations of solvers of one system.
class IterationCounter {
 public:
  /// b and what it is called (`IterationCount::right_hand_side`). Back end and matrix must outlive
  /// the counter; a square matrix, columns sorted.
  IterationCounter(Backend& backend, const CsrView<double>& matrix, std::vector<double> b,
                   std::string right_hand_side);

  /// Solves for b from x = 0, then for three more right-hand sides whose entries differ from b's by
  /// up to 64 units of rounding of its largest, as long as time is left. Throws like `solve` and
  /// `solve_by_method`.
  CountedSolve count(const CountedRun& run);

 private:
  template <class T>
  SolveResult solve_for(const CsrView<T>& matrix, const CountedRun& run,
                        const std::vector<double>& b, const SolveOptions& options);
  SolveResult solve_for(const CountedRun& run, const std::vector<double>& b,
                        const SolveOptions& options);

  Backend& backend_;
  CsrView<double> matrix_;
  std::vector<double> b_;
  std::string right_hand_side_;
  std::optional<CsrMatrix<float>> single_;  ///< the matrix in f32, once it was asked for
};

}  // namespace sparsecast
