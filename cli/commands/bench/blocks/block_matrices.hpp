#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/matrix/csr.hpp"
#include "core/matrix/renumbering.hpp"

/// @file
/// Stand-ins for the matrices of Buatois, Caumon and Levy (2009, Table 3), which come of meshes
/// that are not here.

namespace sparsecast::cli {

/// What is solved on a mesh: so many unknowns a vertex.
struct BlockProblem {
  const char* name;
  int components;
  bool of_table3;  ///< the other ones are for comparison
};

/// "parameterization" (2 unknowns a vertex) and "smoothing" (3); "components4" and "scalar".
const std::vector<BlockProblem>& block_problems();

/// The names of Table 3, by rising size.
const std::vector<std::string>& mesh_names();
/// Those of significant size: the last two, of more than 100 000 unknowns.
std::vector<std::string> large_mesh_names();

/// A matrix that is made when its turn comes, so that only one is in memory.
struct BlockMatrix {
  std::string mesh;  ///< as printed
  BlockProblem problem;
  double scale = 1;  ///< vertices over the mesh's, nearly
  std::function<CsrMatrix<double>()> make;
};

/// Linear finite elements on tetrahedra with as many vertices as the meshes have, times `scale`:
/// about 15 blocks a row of blocks, 30 nonzeros a row of a parameterization and 45 of a smoothing
/// (Table 3: 29 to 41, and 20 to 41). Elasticity for the smoothing; of the others every block is a
/// number times one matrix. The largest mesh has the two of Table 3 only. `threads` 0: all.
std::vector<BlockMatrix> block_matrices(double scale, int threads);

/// The same matrix with its vertices in another order, which keeps blocks whole: by the graph of
/// vertices.
CsrMatrix<double> with_vertices_in_order(CsrMatrix<double> matrix, int components,
                                         Renumbering order, int threads);

}  // namespace sparsecast::cli
