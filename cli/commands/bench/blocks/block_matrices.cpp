#include "cli/commands/bench/blocks/block_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/matrix/generate/generators.hpp"
#include "core/matrix/renumber.hpp"

namespace sparsecast::cli {
namespace {

constexpr int elastic_components = 3;

/// A line of Table 3; a parameterization has two unknowns a vertex.
struct Mesh {
  const char* name;
  double vertices;
};
constexpr Mesh meshes[] = {{"Girl Face 1", 1500.0 / 2},
                           {"Girl Face 2", 6500.0 / 2},
                           {"Girl Face 3", 25900.0 / 2},
                           {"Girl Face 4", 103100.0 / 2},
                           {"Phlegmatic Dragon", 671400.0 / 2}};

/// The first of every `components` rows and columns: as many rows as vertices.
CsrMatrix<double> first_components(const CsrView<double>& matrix, int components) {
  CsrMatrix<double> first;
  first.rows = first.columns = matrix.rows / components;
  first.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < matrix.rows; row += components) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      const std::int32_t column = matrix.column_indices[k];
      if (column % components != 0) continue;
      first.column_indices.push_back(column / components);
      first.values.push_back(matrix.values[k]);
    }
    first.row_offsets.push_back(std::ssize(first.column_indices));
  }
  return first;
}

CsrMatrix<double> make_block_matrix(std::int64_t cells, int components, int threads) {
  constexpr std::uint64_t seed = 1;
  CsrMatrix<double> elastic = fem_elasticity(1, cells, seed, threads);
  if (components == elastic_components) return elastic;
  CsrMatrix<double> scalar = first_components(elastic.view(), elastic_components);
  return components == 1 ? std::move(scalar) : with_components(scalar.view(), components);
}

}  // namespace

const std::vector<BlockProblem>& block_problems() {
  static const std::vector<BlockProblem> all{{"parameterization", 2, true},
                                             {"smoothing", elastic_components, true},
                                             {"components4", 4, false},
                                             {"scalar", 1, false}};
  return all;
}

const std::vector<std::string>& mesh_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Mesh& mesh : meshes) all.emplace_back(mesh.name);
    return all;
  }();
  return names;
}

std::vector<std::string> large_mesh_names() {
  return {mesh_names().end() - 2, mesh_names().end()};
}

std::vector<BlockMatrix> block_matrices(double scale, int threads) {
  std::vector<BlockMatrix> matrices;
  for (const Mesh& mesh : meshes) {
    const std::int64_t side = std::llround(std::cbrt(scale * mesh.vertices));
    const std::int64_t cells = std::max<std::int64_t>(1, side - 1);
    for (const BlockProblem& problem : block_problems()) {
      if (mesh.name == mesh_names().back() && !problem.of_table3) continue;
      matrices.push_back({mesh.name, problem, scale,
                          [=] { return make_block_matrix(cells, problem.components, threads); }});
    }
  }
  return matrices;
}

CsrMatrix<double> with_vertices_in_order(CsrMatrix<double> matrix, int components,
                                         Renumbering order, int threads) {
  if (order == Renumbering::none) return matrix;
  const Permutation vertices =
      make_permutation(order, first_components(matrix.view(), components), 1);
  Permutation unknowns;
  unknowns.reserve(static_cast<std::size_t>(matrix.rows));
  for (const std::int32_t vertex : vertices) {
    for (int k = 0; k < components; ++k) unknowns.push_back(vertex * components + k);
  }
  return renumber<double>(matrix.view(), unknowns, threads);
}

}  // namespace sparsecast::cli
