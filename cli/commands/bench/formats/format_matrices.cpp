#include "cli/commands/bench/formats/format_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "cli/matrix_source.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/matrix/generate/table4.hpp"

namespace sparsecast::cli {
namespace {

namespace fs = std::filesystem;

/// Of the SuiteSparse collection, by the words of `table4_matrices`.
struct CollectionName {
  const char* name;
  const char* file;
};
constexpr CollectionName collection[] = {
    {"protein", "pdb1HYS"},           {"fem-spheres", "consph"},   {"fem-cantilever", "cant"},
    {"wind-tunnel", "pwtk"},          {"fem-harbor", "rma10"},     {"fem-ship", "shipsec1"},
    {"economics", "mac_econ_fwd500"}, {"epidemiology", "mc2depi"}, {"fem-accelerator", "cop20k_A"},
    {"circuit", "scircuit"},          {"webbase", "webbase-1M"},   {"lp", "rail4284"}};

/// The file of a matrix in the folder; empty where it is not there.
fs::path file_of(const Table4Matrix& matrix, const std::string& folder) {
  if (folder.empty()) return {};
  for (const CollectionName& each : collection) {
    if (std::string(each.name) != matrix.name) continue;
    for (const char* ending : {".mtx", ".mtx.gz"}) {
      const fs::path file = fs::path(folder) / (each.file + std::string(ending));
      if (fs::exists(file)) return file;
    }
  }
  return {};
}

CsrMatrix<double> read_file_of(const Table4Matrix& matrix, const fs::path& file, int threads) {
  MatrixFileOptions reading;
  reading.threads = threads;
  CsrMatrix<double> read = read_matrix(file.string(), reading).matrix;
  return read.columns == matrix.columns ? std::move(read) : without_slack_columns(std::move(read));
}

/// The grid of a stencil; unused sizes are 1.
struct Grid {
  int points;
  int dimensions;
};
constexpr Grid grids[] = {{3, 1}, {5, 2}, {7, 3}, {9, 2}, {27, 3}};
constexpr double paper_rows = 1e6;

}  // namespace

const std::vector<std::string>& structured_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Grid& grid : grids) {
      all.push_back("Laplace " + std::to_string(grid.points) + "pt");
    }
    return all;
  }();
  return names;
}

std::vector<FormatMatrix> structured_matrices(double scale, int threads) {
  std::vector<FormatMatrix> matrices;
  for (const Grid& grid : grids) {
    const auto side = static_cast<std::int64_t>(
        std::llround(std::pow(scale * paper_rows, 1.0 / grid.dimensions)));
    FormatMatrix matrix;
    matrix.set = "structured";
    matrix.name = structured_names()[matrices.size()];
    matrix.source = "generated";
    matrix.scale = scale;
    matrix.make = [=] {
      return laplacian(grid.points, side, grid.dimensions > 1 ? side : 1,
                       grid.dimensions > 2 ? side : 1, threads);
    };
    matrices.push_back(std::move(matrix));
  }
  return matrices;
}

std::vector<FormatMatrix> unstructured_matrices(const std::string& folder, int threads) {
  constexpr std::uint64_t seed = 1;
  std::vector<FormatMatrix> matrices;
  for (const Table4Matrix& row : table4_matrices()) {
    FormatMatrix matrix;
    matrix.set = "unstructured";
    matrix.name = row.printed;
    matrix.full = row.nonzeros == row.rows * row.columns;
    // The paper's dense matrices were generated too.
    matrix.source = matrix.full ? "generated" : "stand-in";
    const fs::path file = file_of(row, folder);
    if (file.empty()) {
      matrix.make = [&row, threads] { return make_table4_matrix(row, seed, threads); };
    } else {
      matrix.source = file.filename().string();
      matrix.make = [&row, file, threads] { return read_file_of(row, file, threads); };
    }
    matrices.push_back(std::move(matrix));
  }
  return matrices;
}

CsrMatrix<double> without_slack_columns(CsrMatrix<double> matrix) {
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(matrix.columns));
  for (const std::int32_t column : matrix.column_indices) {
    ++lengths[static_cast<std::size_t>(column)];
  }
  const std::int64_t others = matrix.columns - matrix.rows;
  if (others <= 0) return matrix;
  const auto is_slack = [&](std::int64_t first) {
    const auto begin = lengths.begin() + first;
    return std::all_of(begin, begin + matrix.rows, [](std::int32_t length) { return length == 1; });
  };
  // The rest begins at the first column, or behind the slack.
  std::int64_t first = 0;
  if (!is_slack(others)) {
    if (!is_slack(0)) return matrix;
    first = matrix.rows;
  }
  CsrMatrix<double> rest;
  rest.rows = matrix.rows;
  rest.columns = others;
  rest.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      const std::int64_t column = matrix.column_indices[k] - first;
      if (column < 0 || column >= others) continue;
      rest.column_indices.push_back(static_cast<std::int32_t>(column));
      rest.values.push_back(matrix.values[k]);
    }
    rest.row_offsets.push_back(std::ssize(rest.column_indices));
  }
  return rest;
}

}  // namespace sparsecast::cli
