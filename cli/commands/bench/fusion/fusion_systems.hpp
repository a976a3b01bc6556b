#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/matrix_source.hpp"

namespace sparsecast::cli {

/// A system to measure or to solve.
struct FusionSystem {
  MatrixSource source;
  std::int64_t size = 0;  ///< unknowns as asked for; 0 of a file
};

/// A square 5-point grid with as many unknowns, nearly. `threads` 0: all.
FusionSystem grid_system(std::int64_t size, int threads);

/// Grids, and finite elements whose diagonal is not constant, of these sizes, as far as they are
/// solved in a moment: up to 10^5.
std::vector<FusionSystem> generated_systems(std::span<const std::int64_t> sizes, int threads);

/// The matrix files of a folder. Throws as `find_matrix_files` does.
std::vector<FusionSystem> systems_in(const std::string& folder, int threads);

/// What keeps conjugate gradients from a matrix, as far as it shows without a solve: "not square",
/// "not symmetric", "no positive diagonal"; empty: nothing.
std::string fault_for_cg(const CsrMatrix<double>& matrix, int threads);

}  // namespace sparsecast::cli
