#include "predict/unfit_solvers.hpp"

#include <algorithm>

#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast {

namespace {

/// Names of those that are so, as sentences have them.
template <class Is>
std::string names_of(std::span<const Solver> solvers, const Is& is) {
  if (solvers.empty()) return is(fused_cg()) ? "conjugate gradients" : "";
  std::string names;
  for (const Solver& solver : solvers) {
    if (is(solver)) names += (names.empty() ? "" : ", ") + solver.name();
  }
  return names;
}

bool divides_by_diagonal(const Solver& solver) {
  return !solver.slots.inverse_blocks.empty() ||
         std::ranges::any_of(solver.slots.diagonals, [](const SolverSlots::Diagonal& each) {
           return each.value != SolverSlots::DiagonalValue::diagonal;
         });
}

/// "1 missing, 2 negative"
std::string faults_of_diagonal(const MatrixFeatures& features) {
  std::string text;
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + ' ' + what;
  };
  add(features.missing_diagonal, "missing");
  add(features.zero_diagonal, "zero");
  add(features.negative_diagonal, "negative");
  return text;
}

}  // namespace

std::vector<std::string> unfit_warnings(const std::string& subject, const MatrixFeatures& features,
                                        std::span<const Solver> solvers) {
  std::vector<std::string> warnings;
  if (!features.symmetric) {
    const std::string names =
        names_of(solvers, [](const Solver& solver) { return solver.needs != MatrixKind::square; });
    if (!names.empty()) {
      warnings.push_back(subject + " is not symmetric: " + names + " cannot solve with it");
    }
  }
  // As solving them finds.
  const bool has_zero = features.missing_diagonal > 0 || features.zero_diagonal > 0;
  const bool is_positive = !has_zero && features.negative_diagonal == 0;
  const std::string dividing = names_of(solvers, [&](const Solver& solver) {
    if (!divides_by_diagonal(solver)) return false;
    return solver.needs == MatrixKind::symmetric_positive_definite
               ? !is_positive
               : has_zero && !solver.slots.diagonals.empty();
  });
  if (!dividing.empty()) {
    warnings.push_back(subject + " has no positive diagonal (" + faults_of_diagonal(features) +
                       "): " + dividing + " cannot solve with it, dividing by its entries");
  }
  return warnings;
}

}  // namespace sparsecast
