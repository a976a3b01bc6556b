#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/schedule/method/method_json.hpp"

namespace sparsecast {

/// The repository's, or where the tests run elsewhere that of SPARSECAST_SCHEDULES.
inline std::filesystem::path schedules_folder() {
  const char* elsewhere = std::getenv("SPARSECAST_SCHEDULES");
  if (elsewhere != nullptr) return elsewhere;
  return std::filesystem::path(SPARSECAST_SOURCE_DIR) / "schedules";
}

inline Method shipped_schedule(const std::string& name) {
  return read_method_file((schedules_folder() / (name + ".json")).string());
}

/// Which matrices a method is for.
inline bool needs_symmetric(const std::string& name) {
  return name != "bicgstab" && name != "gmres";
}

/// The names of all.
inline std::vector<std::string> shipped_schedules() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(schedules_folder())) {
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

/// A random matrix that is not symmetric, with a diagonal that outweighs its rows.
inline CsrMatrix<double> dominant_matrix(std::int64_t rows) {
  CsrMatrix<double> matrix = random_csr<double>(rows, rows, 6, 7);
  CsrMatrix<double> result;
  result.rows = result.columns = rows;
  result.row_offsets.push_back(0);
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    bool placed = false;
    const auto place_diagonal = [&] {
      result.column_indices.push_back(static_cast<std::int32_t>(row));
      result.values.push_back(0);
      placed = true;
    };
    std::size_t at = 0;
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      const std::int32_t column = matrix.column_indices[k];
      if (column >= row && !placed) {
        at = result.values.size();
        place_diagonal();
      }
      if (column == row) continue;
      result.column_indices.push_back(column);
      result.values.push_back(matrix.values[k]);
      sum += std::abs(matrix.values[k]);
    }
    if (!placed) {
      at = result.values.size();
      place_diagonal();
    }
    result.values[at] = 1.2 * sum + 0.5;
    result.row_offsets.push_back(static_cast<std::int64_t>(result.values.size()));
  }
  return result;
}

/// A matrix that a shipped schedule solves with.
inline CsrMatrix<double> matrix_for_schedule(const std::string& name) {
  return needs_symmetric(name) ? laplacian(5, 12, 11) : dominant_matrix(150);
}

}  // namespace sparsecast
