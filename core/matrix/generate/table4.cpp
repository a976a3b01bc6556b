#include "core/matrix/generate/table4.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/generate/table4_meshes.hpp"
#include "core/matrix/generate/table4_networks.hpp"
#include "core/matrix/generate/table4_row_lengths.hpp"

namespace sparsecast {
namespace {

using Make = CsrMatrix<double> (*)(const Table4Matrix& matrix, std::uint64_t seed, int threads);

CsrMatrix<double> make_dense(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  return dense(matrix.rows, seed, threads);
}

CsrMatrix<double> make_protein(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  return protein_matrix(matrix.rows, matrix.nonzeros, static_cast<int>(matrix.longest_row), seed,
                        threads);
}

CsrMatrix<double> make_spheres(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  constexpr MeshShape shape{.size = {48, 48, 13}, .squared_reach = 3, .most = 27, .shuffled = 3};
  return mesh_matrix(matrix.rows, matrix.nonzeros, 3, shape, seed, threads);
}

CsrMatrix<double> make_cantilever(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  constexpr MeshShape shape{.size = {9, 9, 257}, .squared_reach = 3, .most = 26, .shuffled = 3};
  return mesh_matrix(matrix.rows, matrix.nonzeros, 3, shape, seed, threads);
}

CsrMatrix<double> make_wind_tunnel(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  constexpr MeshShape shape{.size = {48, 757, 1},
                            .squared_reach = 2,
                            .most = 29,
                            .joints = 80,
                            .most_at_joints = 30,
                            .least_at_joints = 10,
                            .shuffled = 3};
  return mesh_matrix(matrix.rows, matrix.nonzeros, 6, shape, seed, threads);
}

CsrMatrix<double> make_harbor(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  constexpr MeshShape shape{.size = {50, 94, 2},
                            .squared_reach = 2,
                            .most = 28,
                            .joints = 90,
                            .most_at_joints = 29,
                            .least_at_joints = 15,
                            .shuffled = 3};
  return mesh_matrix(matrix.rows, matrix.nonzeros, 5, shape, seed, threads);
}

CsrMatrix<double> make_qcd(const Table4Matrix&, std::uint64_t seed, int threads) {
  return lattice_fermions(seed, threads);
}

CsrMatrix<double> make_ship(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  constexpr MeshShape shape{.size = {120, 196, 1},
                            .squared_reach = 4,
                            .most = 16,
                            .joints = 200,
                            .most_at_joints = 17,
                            .least_at_joints = 13,
                            .shuffled = 8};
  return mesh_matrix(matrix.rows, matrix.nonzeros, 6, shape, seed, threads);
}

CsrMatrix<double> make_economics(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  constexpr std::int64_t periods = 500;
  return economic_model(periods, matrix.rows / periods, matrix.nonzeros,
                        static_cast<int>(matrix.longest_row), seed, threads);
}

CsrMatrix<double> make_epidemiology(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  return epidemic_states(matrix.rows, matrix.nonzeros, seed, threads);
}

CsrMatrix<double> make_accelerator(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  constexpr std::int64_t nodes = 99843;
  constexpr MeshShape shape{.size = {47, 47, 46},
                            .squared_reach = 3,
                            .most = 80,
                            .joints = 2000,
                            .most_at_joints = 81,
                            .least_at_joints = 28,
                            .shuffled = 8};
  return mesh_matrix_with_empty_rows(matrix.rows, matrix.nonzeros, nodes, shape, seed, threads);
}

CsrMatrix<double> make_circuit(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  return supplied_circuit(matrix.rows, matrix.nonzeros, static_cast<int>(matrix.longest_row), seed,
                          threads);
}

CsrMatrix<double> make_webbase(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  return web_links(matrix.rows, matrix.nonzeros, matrix.longest_row, seed, threads);
}

CsrMatrix<double> make_lp(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  constexpr std::int64_t typical_row = 1820;
  return linear_program(matrix.rows, matrix.columns, matrix.nonzeros, matrix.longest_row,
                        typical_row, seed, threads);
}

CsrMatrix<double> make_dense_tall(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  return full_rows(matrix.rows, matrix.columns, seed, threads);
}

constexpr std::array<Table4Matrix, 15> all{{
    {"dense", "Dense", 2000, 2000, 4000000, 2000, true, true},
    {"protein", "Protein", 36417, 36417, 4344765, 204, true, true},
    {"fem-spheres", "FEM/Spheres", 83334, 83334, 6010480, 81, true, true},
    {"fem-cantilever", "FEM/Cantilever", 62451, 62451, 4007383, 78, true, true},
    {"wind-tunnel", "Wind Tunnel", 217918, 217918, 11634424, 180, true, true},
    {"fem-harbor", "FEM/Harbor", 46835, 46835, 2374001, 145, true, true},
    {"qcd", "QCD", 49152, 49152, 1916928, 39, true, false},
    {"fem-ship", "FEM/Ship", 140874, 140874, 7813404, 102, true, true},
    {"economics", "Economics", 206500, 206500, 1273389, 44, true, false},
    {"epidemiology", "Epidemiology", 525825, 525825, 2100225, 4, true, true},
    {"fem-accelerator", "FEM/Accelerator", 121192, 121192, 2624331, 81, true, false},
    {"circuit", "Circuit", 170998, 170998, 958936, 353, true, true},
    {"webbase", "Webbase", 1000005, 1000005, 3105536, 4700, false, false},
    {"lp", "LP", 4284, 1092610, 11279748, 56181, false, false},
    {"dense-tall", "dense 30K x 128", 30000, 128, 3840000, 128, false, false},
}};

constexpr std::array<Make, all.size()> makers{
    make_dense,       make_protein, make_spheres, make_cantilever, make_wind_tunnel,
    make_harbor,      make_qcd,     make_ship,    make_economics,  make_epidemiology,
    make_accelerator, make_circuit, make_webbase, make_lp,         make_dense_tall,
};

/// Letters and digits, in small, without the family of finite elements.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char character : name) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) != 0) plain += static_cast<char>(std::tolower(byte));
  }
  return plain.starts_with("fem") ? plain.substr(3) : plain;
}

}  // namespace

std::span<const Table4Matrix> table4_matrices() {
  return all;
}

const Table4Matrix& find_table4_matrix(std::string_view name) {
  const std::string wanted = plain_name(name);
  std::string names;
  for (const Table4Matrix& matrix : all) {
    if (wanted == plain_name(matrix.name) || wanted == plain_name(matrix.printed)) return matrix;
    names += (names.empty() ? "" : ", ") + std::string(matrix.name);
  }
  throw Error("no matrix '" + std::string(name) + "' in Table 4; expected one of " + names);
}

CsrMatrix<double> make_table4_matrix(const Table4Matrix& matrix, std::uint64_t seed, int threads) {
  const auto found =
      std::ranges::find(all, std::string_view(matrix.name),
                        [](const Table4Matrix& each) { return std::string_view(each.name); });
  if (found == all.end()) throw Error("no matrix '" + std::string(matrix.name) + "' in Table 4");
  return makers[static_cast<std::size_t>(found - all.begin())](matrix, seed, threads);
}

}  // namespace sparsecast
