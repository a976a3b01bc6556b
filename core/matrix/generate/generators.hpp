#pragma once

#include <cstdint>

#include "core/matrix/csr.hpp"
#include "core/matrix/generate/grid_stencil.hpp"

/// @file
/// Seeded matrices for calibration, tests and benchmarks. The same arguments give the same bytes on
/// every machine and with any number of threads (own integer random numbers, no libm in values or
/// patterns). All are square; those marked SPD can be solved by CG. Columns rise within rows.
/// `threads` = 0: all. Sizes that make no matrix, or more than 2147483647 rows, throw `Error`.

namespace sparsecast {

/// Finite-difference Laplacian with `points` = 3 (1D), 5 or 9 (2D), 7 or 27 (3D) on an
/// nx x ny x nz grid (unused sizes 1), Dirichlet boundary. SPD. Throws `Error` for other stencils.
CsrMatrix<double> laplacian(int points, std::int64_t nx, std::int64_t ny = 1, std::int64_t nz = 1,
                            int threads = 0);
/// The same by rows, of up to 2^53 points.
GridStencil laplacian_stencil(int points, std::int64_t nx, std::int64_t ny = 1,
                              std::int64_t nz = 1);

/// 3D linear-elasticity-like finite elements, 3 unknowns per node (dense 3 x 3 blocks), on an
/// unstructured mesh of 6 * cells^3 tetrahedra: a jittered grid whose cubes and faces are cut along
/// random diagonals, alike from both sides, so that vertices inside have 14 neighbours on average
/// with a standard deviation of about 3 (Delaunay meshes of random points: 15.5 and 3.3). `order`
/// 1: P1, the vertices are the nodes, (cells + 1)^3 of them, about 45 nonzeros a row inside; 2: P2,
/// also the midpoints of edges, (2 cells + 1)^3 nodes, about 84. Nodes are numbered along the mesh
/// and shuffled among 64 neighbours. Values: springs between the nodes of each element, clamped at
/// one side. SPD.
CsrMatrix<double> fem_elasticity(int order, std::int64_t cells, std::uint64_t seed,
                                 int threads = 0);

/// Trefethen_n: the primes on the diagonal, ones where |i - j| is a power of two. SPD.
CsrMatrix<double> trefethen(std::int64_t n, int threads = 0);

/// Dense matrix stored sparse, diagonally dominant, SPD.
CsrMatrix<double> dense(std::int64_t n, std::uint64_t seed, int threads = 0);

/// An arrowhead: a tridiagonal matrix whose last `heads` rows and columns are full. Off the
/// diagonal -1, on it the row's length. SPD. Throws `Error` unless 1 <= heads <= n.
CsrMatrix<double> arrow(std::int64_t n, std::int64_t heads, int threads = 0);

/// A matrix by the features that decide the speed of SpMV, after the artificial matrix generators
/// of the SpMV literature (Mpakos et al., Feature-based SpMV performance analysis on contemporary
/// devices, IPDPS 2023): row lengths, bandwidth, similarity of neighbouring rows, and clustering of
/// a row's columns.
struct RandomMatrixSpec {
  std::int64_t rows = 0;
  /// Nonzeros a row of the finished matrix, the diagonal included, at least 1.
  double mean_row_length = 0;
  /// Of a normal distribution, cut at 1 and at the bandwidth. A symmetric matrix cannot go below
  /// about the square root of half its mean (times the run length), which its transposed half adds.
  double stddev_row_length = 0;
  /// Largest |column - row| as a fraction of the rows, (0, 1].
  double bandwidth_fraction = 1;
  /// Probability that a row repeats the column of an entry in the row above, [0, 1).
  double row_similarity = 0;
  /// Mean length of runs of neighbouring columns, at least 1.
  double mean_run_length = 1;
  /// Half of the entries are drawn as above, the other half is their transposed: then SPD. The
  /// similarity of rows and the runs of the halves change places.
  bool symmetric = true;
  std::uint64_t seed = 1;
};
/// Throws `Error` naming the first number of the specification that is out of its range.
CsrMatrix<double> random_matrix(const RandomMatrixSpec& spec, int threads = 0);

/// Graph Laplacian plus identity of a power-law graph. Every row draws neighbours anywhere; how
/// many follows a Zipf law with this exponent (> 1, most graphs 2 to 3), by rank in random order.
/// The matrix is symmetric, `mean_row_length` includes the drawn neighbours' transposed entries and
/// the diagonal; the longest rows of large matrices have thousands of entries. SPD.
CsrMatrix<double> power_law(std::int64_t rows, double mean_row_length, double exponent,
                            std::uint64_t seed, int threads = 0);

/// `components` unknowns a node: every entry a becomes the dense block a * (I + J / components)
/// with J all ones, so that a symmetric positive definite matrix stays one.
CsrMatrix<double> with_components(const CsrView<double>& matrix, int components);

/// Replaces values so that CG can solve a matrix of which only the pattern matters: the pattern is
/// made symmetric and its diagonal full unless it is, off-diagonal -1, diagonal = row length. SPD.
/// Throws `Error` for a matrix that is not square.
CsrMatrix<double> spd_surrogate(const CsrView<double>& pattern, int threads = 0);

}  // namespace sparsecast
