#include "cli/commands/bench/fusion/fusion_systems.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/matrix_files.hpp"
#include "core/matrix/diagonal.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast::cli {
namespace {

FusionSystem elasticity_system(std::int64_t size, int threads) {
  constexpr std::uint64_t seed = 1;
  constexpr double components = 3;
  const std::int64_t side = std::llround(std::cbrt(static_cast<double>(size) / components));
  const std::int64_t cells = std::max<std::int64_t>(1, side - 1);
  return {{"elasticity", [=] { return fem_elasticity(1, cells, seed, threads); }}, size};
}

}  // namespace

FusionSystem grid_system(std::int64_t size, int threads) {
  const std::int64_t side = std::llround(std::sqrt(static_cast<double>(size)));
  return {{"grid", [=] { return laplacian(5, side, side, 1, threads); }}, size};
}

std::vector<FusionSystem> generated_systems(std::span<const std::int64_t> sizes, int threads) {
  constexpr std::int64_t most = 100'000;
  std::vector<FusionSystem> systems;
  for (const std::int64_t size : sizes) {
    if (size > most) continue;
    systems.push_back(grid_system(size, threads));
    systems.push_back(elasticity_system(size, threads));
  }
  return systems;
}

std::vector<FusionSystem> systems_in(const std::string& folder, int threads) {
  std::vector<FusionSystem> systems;
  for (const MatrixFile& file : find_matrix_files({folder})) {
    MatrixFileOptions reading;
    reading.threads = threads;
    systems.push_back(
        {{file.name, [=] { return read_matrix(file.path.string(), reading).matrix; }}, 0});
  }
  return systems;
}

std::string fault_for_cg(const CsrMatrix<double>& matrix, int threads) {
  if (matrix.rows != matrix.columns) return "not square";
  const CsrMatrix<double> transposed = transpose(matrix.view(), threads);
  const bool is_symmetric = std::ranges::equal(matrix.row_offsets, transposed.row_offsets) &&
                            std::ranges::equal(matrix.column_indices, transposed.column_indices) &&
                            std::ranges::equal(matrix.values, transposed.values);
  if (!is_symmetric) return "not symmetric";
  const std::vector<double> entries = diagonal(matrix.view());
  return std::ranges::all_of(entries, [](double entry) { return entry > 0; })
             ? ""
             : "no positive diagonal";
}

}  // namespace sparsecast::cli
