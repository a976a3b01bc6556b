#include "core/engine/solve_result.hpp"

#include <cstdio>

namespace sparsecast {
namespace {

std::string format(const char* format, auto... arguments) {
  const int size = std::snprintf(nullptr, 0, format, arguments...);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::snprintf(text.data(), text.size() + 1, format, arguments...);
  return text;
}

}  // namespace

std::string SolveResult::brief() const {
  std::string text = std::string(to_string(outcome)) + " after " + std::to_string(iterations) +
                     (iterations == 1 ? " iteration" : " iterations");
  text += format(", ||b - Ax|| = %.3g", residual_norm);
  if (right_hand_side_norm > 0) {
    text += format(" (%.3g ||b||)", residual_norm / right_hand_side_norm);
  }
  if (first_preconditioned_norm > 0) {
    text += format(", %.3g of the first residual in the norm of M^-1",
                   preconditioned_norm / first_preconditioned_norm);
  }
  if (iterations > 0) {
    text += format(", %.3g us per iteration",
                   1e6 * iteration_seconds / static_cast<double>(iterations));
  }
  switch (outcome) {
    case Outcome::converged:
      return text;
    case Outcome::iteration_limit:
      if (rule == StopRule::Kind::fixed_iterations) return text;
      return text + "; allow more iterations or a larger tolerance";
    case Outcome::not_positive_definite:
      return text + "; CG needs a positive definite matrix: check its signs, or use another solver";
    case Outcome::not_finite:
      return text +
             "; look for NaN or infinity in matrix, right-hand side and start value, and "
             "scale values that overflow";
    case Outcome::stagnated:
      return text +
             "; rounding allows no more: use f64, a larger tolerance or a better "
             "preconditioner";
    case Outcome::nonpositive_diagonal:
      return text +
             "; Jacobi preconditioning needs a positive diagonal: look for missing, zero or "
             "negative entries";
    case Outcome::breakdown:
      return text + "; start from another x, or use another solver";
  }
  return text;
}

}  // namespace sparsecast
