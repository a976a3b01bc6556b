#pragma once

#include <cstdint>

#include "core/csr.hpp"

/// @file
/// Seeded matrices for calibration, tests and benchmarks. The same arguments give the same bytes on
/// every machine and with any number of threads (own integer random numbers, no libm in values or
/// patterns). All are square; those marked SPD can be solved by CG. Columns rise within rows.

namespace sparsecast {

/// Finite-difference Laplacian with `points` = 3 (1D), 5 or 9 (2D), 7 or 27 (3D) on an
/// nx x ny x nz grid (unused sizes 1), Dirichlet boundary. SPD. Throws `Error` for other stencils.
CsrMatrix<double> laplacian(int points, std::int64_t nx, std::int64_t ny = 1, std::int64_t nz = 1);

/// 3D linear-elasticity-like finite elements, 3 unknowns per node, on an unstructured mesh of
/// jittered tetrahedra with shuffled local connectivity: `order` 1 (P1, vertices) or 2 (P2, also
/// edge midpoints), about cells^3 * 6 tetrahedra, nodes numbered along the mesh. SPD.
CsrMatrix<double> fem_elasticity(int order, std::int64_t cells, std::uint64_t seed);

/// Trefethen_n: the primes on the diagonal, ones where |i - j| is a power of two. SPD.
CsrMatrix<double> trefethen(std::int64_t n);

/// Dense matrix stored sparse, diagonally dominant, SPD.
CsrMatrix<double> dense(std::int64_t n, std::uint64_t seed);

/// After the artificial matrix generators of the SpMV literature (row-length distribution,
/// bandwidth, similarity of neighbouring rows).
struct RandomMatrixSpec {
  std::int64_t rows = 0;
  double mean_row_length = 0;
  double stddev_row_length = 0;  ///< normal, cut at 1 and at the bandwidth
  /// Largest |column - row| as a fraction of the rows, (0, 1].
  double bandwidth_fraction = 1;
  /// Probability that a row's entry repeats the column of an entry in the row above, [0, 1).
  double row_similarity = 0;
  /// Mean length of runs of neighbouring columns, at least 1.
  double mean_run_length = 1;
  bool symmetric =
      true;  ///< pattern and values made symmetric, values SPD; row lengths then double
  std::uint64_t seed = 1;
};
CsrMatrix<double> random_matrix(const RandomMatrixSpec& spec);

/// Graph Laplacian plus identity of a power-law graph: out-degrees follow a Zipf law with this
/// exponent (> 1) and mean; symmetric, SPD; the longest rows have thousands of entries.
CsrMatrix<double> power_law(std::int64_t rows, double mean_row_length, double exponent,
                            std::uint64_t seed);

/// Replaces values so that CG can solve a matrix of which only the pattern matters: the pattern is
/// made symmetric unless it is, off-diagonal -1, diagonal = row length.
CsrMatrix<double> spd_surrogate(const CsrView<double>& pattern);

}  // namespace sparsecast
