#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/engine/backend.hpp"
#include "core/matrix/csr.hpp"
#include "core/schedule/solver.hpp"

namespace sparsecast::cli {

/// Residuals after so many iterations, over ||b||.
struct ResidualRecord {
  std::int64_t iterations = 0;
  double recurrence = 0;  ///< of the solver's own r
  double residual = 0;    ///< b - A x, in double
};

/// Runs a solver that keeps its residual in a vector "r", without its test, from x = 0 for b of
/// values between 0.5 and 1.5, and records every `step` iterations; fewer where it breaks down.
/// Ends early when `goes_on()` says so. Throws as `Backend::prepare` does.
std::vector<ResidualRecord> record_residuals(Backend& backend, const Solver& solver,
                                             const CsrMatrix<float>& matrix, const Layout& layout,
                                             std::int64_t iterations, std::int64_t step,
                                             const std::function<bool()>& goes_on);

}  // namespace sparsecast::cli
