#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/engine/backend.hpp"
#include "predict/counting/count_iterations.hpp"
#include "predict/validation/validation_request.hpp"
#include "predict/validation/validation_supply.hpp"

/// @file
/// Times to solution, measured: what was counted on one device beside whole solves on another.

namespace sparsecast {

/// How iterations are counted, and for which b; the solves are for the same.
struct SolutionRules {
  CountRules count;
  /// b for so many rows.
  std::function<std::vector<double>(std::int64_t rows)> right_hand_side;
};

/// Counts the iterations of the request's solvers on `counting`, then solves with each in every
/// layout (none: CSR), precision, number of devices and launch mode: once to warm up, for at most
/// 16 iterations, then up to five times while `seconds_per_case` last; the round with the median
/// time is written down. A solver whose count did not converge runs once for as many iterations as
/// were counted; one that did ends at ten times these, at least 1000. Solvers that need a symmetric
/// matrix are skipped where it is none. Matrices have their own values
/// (`ValidationSource::keeps_values`). Returns false when `proceed` ended it.
bool validate_solutions(const ValidationInput& input, const ValidationRequest& request,
                        const SolutionRules& rules, Backend& counting,
                        const ValidationMonitor& monitor);

}  // namespace sparsecast
