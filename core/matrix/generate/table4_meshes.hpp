#pragma once

#include <array>
#include <cstdint>

#include "core/matrix/csr.hpp"

/// @file
/// The finite elements of `table4.hpp`: meshes whose nodes have the numbers of a grid, shuffled
/// among neighbours, so that entries are spread over many diagonals, as in unstructured meshes.

namespace sparsecast {

/// Nodes of a mesh on a grid and which of them are coupled. Distances are in grid spacings.
struct MeshShape {
  std::array<std::int64_t, 3> size{1, 1, 1};  ///< grid points along each axis; the last may be free
  /// Ordinary nodes are coupled with those whose squared distance is at most this, the near ones
  /// first; of the farthest as many are left out, at random, as the number of nonzeros asks for.
  int squared_reach = 0;
  int most = 0;  ///< nodes that an ordinary node is coupled with, itself included
  /// Nodes where parts of the mesh meet, or where it is refined, spread evenly. They are coupled
  /// with the nearest nodes, the first one with `most_at_joints` (itself included), the others with
  /// fewer, down to `least_at_joints`.
  std::int64_t joints = 0;
  int most_at_joints = 0;
  int least_at_joints = 0;
  /// Nodes that are shuffled among each other: the fewer, the denser are blocks of the matrix.
  std::int64_t shuffled = 1;
};

/// A symmetric positive definite matrix of `unknowns` rows a node.
CsrMatrix<double> mesh_matrix(std::int64_t rows, std::int64_t nonzeros, int unknowns,
                              const MeshShape& shape, std::uint64_t seed, int threads = 0);

/// One unknown a node, and rows without entries spread evenly among them: the matrix has `nodes`
/// rows with entries, their diagonal among these. Symmetric, not definite.
CsrMatrix<double> mesh_matrix_with_empty_rows(std::int64_t rows, std::int64_t nonzeros,
                                              std::int64_t nodes, const MeshShape& shape,
                                              std::uint64_t seed, int threads = 0);

}  // namespace sparsecast
