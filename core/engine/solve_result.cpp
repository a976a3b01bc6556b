#include "core/engine/solve_result.hpp"

#include <cstdio>

#include "core/base/text/name_list.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast {
namespace {

std::string format(const char* format, auto... arguments) {
  const int size = std::snprintf(nullptr, 0, format, arguments...);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::snprintf(text.data(), text.size() + 1, format, arguments...);
  return text;
}

}  // namespace

std::string_view SolveResult::outcome_name() const {
  return interrupted && outcome == Outcome::iteration_limit ? "interrupted" : to_string(outcome);
}

double SolveResult::seconds_per_iteration() const {
  return iterations > 0 ? iteration_seconds / static_cast<double>(iterations) : 0;
}

double SolveResult::solution_seconds() const {
  return conversion_seconds + upload_seconds + preconditioner_seconds + start_seconds +
         iteration_seconds + finish_seconds;
}

bool SolveResult::residuals_part() const {
  if (!recurrence_norm) return false;
  const bool asked_for_less =
      rule == StopRule::Kind::relative && residual_norm <= tolerance * right_hand_side_norm;
  return !asked_for_less && residual_norm > 10 * *recurrence_norm;
}

std::string SolveResult::brief(const SolveWords& words) const {
  std::string text = std::string(outcome_name()) + " after " + std::to_string(iterations) +
                     (iterations == 1 ? " iteration" : " iterations");
  text += format(", ||b - Ax|| = %.3g", residual_norm);
  if (right_hand_side_norm > 0) {
    text += format(" (%.3g ||b||)", residual_norm / right_hand_side_norm);
  }
  if (first_preconditioned_norm.value_or(0) > 0) {
    text += format(", %.3g of the first residual in the norm of M^-1",
                   preconditioned_norm.value() / first_preconditioned_norm.value());
  }
  if (iterations > 0) {
    text += format(", %.3g us per iteration", 1e6 * seconds_per_iteration());
  }
  switch (outcome) {
    case Outcome::converged:
      return text;
    case Outcome::iteration_limit:
      if (rule == StopRule::Kind::fixed_iterations) return text;
      return text + "; allow more iterations or a larger tolerance";
    case Outcome::not_positive_definite:
      return text + "; the matrix is not positive definite: check its signs, or use " +
             words.solver + ' ' + one_of(shipped_names_for(MatrixKind::symmetric));
    case Outcome::not_finite:
      return text +
             "; look for NaN or infinity in matrix, right-hand side and start value, and "
             "scale values that overflow";
    case Outcome::stagnated:
      if (right_hand_side_norm > 0 && residual_norm > right_hand_side_norm) {
        return text +
               "; it went away from the solution: allow a larger tolerance, or use another "
               "solver or preconditioner";
      }
      return text +
             "; rounding allows no more: use f64, a larger tolerance or a better "
             "preconditioner";
    case Outcome::nonpositive_diagonal:
      return text +
             "; Jacobi preconditioning needs a positive diagonal: look for missing, zero or "
             "negative entries, or name " +
             words.without_preconditioner;
    case Outcome::breakdown:
      return text + "; start from another x, or use another solver";
  }
  return text;
}

}  // namespace sparsecast
