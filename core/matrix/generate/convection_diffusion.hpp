#pragma once

#include <cstdint>

#include "core/matrix/csr.hpp"
#include "core/matrix/generate/grid_stencil.hpp"

namespace sparsecast {

/// How the first derivatives are made differences.
enum class ConvectionDifferences {
  upwind,   ///< against the wind: an M-matrix, whatever the Peclet number
  central,  ///< of both sides: not diagonally dominant where peclet times the spacing exceeds 2
};

/// Finite differences of -laplacian(u) + peclet w.grad(u) on a grid of nx x ny points (nz 1) or
/// nx x ny x nz inside a box whose first side is 1 long, zero at its boundary, times the square of
/// the grid's spacing; the wind w is (1, 1/2, 1/4) (after Elman, Silvester and Wathen 2014, section
/// 6.1). 5 or 7 diagonals. The pattern is symmetric, the values are not but for a Peclet number of
/// 0; all eigenvalues have positive real parts. Columns rise within rows. Throws `Error` for sides
/// of fewer than 2 points (but nz), more than 2147483647 rows, and a Peclet number that is negative
/// or not finite.
CsrMatrix<double> convection_diffusion(std::int64_t nx, std::int64_t ny, std::int64_t nz,
                                       double peclet, ConvectionDifferences differences,
                                       int threads = 0);
/// The same by rows, of up to 2^53 points.
GridStencil convection_diffusion_stencil(std::int64_t nx, std::int64_t ny, std::int64_t nz,
                                         double peclet, ConvectionDifferences differences);

}  // namespace sparsecast
