#pragma once

#include <string_view>
#include <vector>

#include "core/schedule/method/lower.hpp"
#include "core/schedule/method/method.hpp"
#include "core/schedule/solver.hpp"

namespace sparsecast::cli {

/// Conjugate gradients that are compared.
struct FusionSolver {
  const char* name;
  const Method* method;  ///< nullptr: our fused solver, with Jacobi's preconditioner
  Execution execution = Execution::fused;
  Solver solver;  ///< that decides as late as it can (`with_late_decisions`), where it is a method
};

/// The textbook's in one kernel a line, as libraries would carry it out.
inline constexpr std::string_view six_kernels = "six-kernels";
/// Rupp, Weinbub, Juengel and Grasser's.
inline constexpr std::string_view pipelined = "pipelined-cg";
/// Ours.
inline constexpr std::string_view ours = "fused";

/// Those three.
const std::vector<FusionSolver>& fusion_solvers();

}  // namespace sparsecast::cli
