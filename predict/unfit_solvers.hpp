#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/schedule/solver.hpp"

namespace sparsecast {

/// What is to be said of solvers (none: of ours, conjugate gradients) that cannot solve with a
/// matrix, as its features show, a sentence each: it is not symmetric, or they divide by a diagonal
/// that is not full, or not positive. `subject`: what sentences call the matrix.
std::vector<std::string> unfit_warnings(const std::string& subject, const MatrixFeatures& features,
                                        std::span<const Solver> solvers);

}  // namespace sparsecast
