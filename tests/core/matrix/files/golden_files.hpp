#pragma once

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/files/byte_source.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/files/read_matrix_file.hpp"
#include "core/refusal.hpp"

namespace sparsecast {

/// The files that `data/make_files` made.
inline std::filesystem::path golden_folder() {
  return std::filesystem::path(SPARSECAST_SOURCE_DIR) / "tests/core/matrix/files/data";
}

inline std::string golden(const std::string& name) {
  return read_file(golden_folder() / name);
}

/// Reads bytes as a file of any kind, which messages call "m".
inline MatrixFromFile parse_bytes(std::string_view bytes, const MatrixFileOptions& options = {}) {
  return parse_matrix_file(MemoryBytes(bytes), "m", options);
}

inline std::string refusal_of_bytes(std::string_view bytes) {
  return refusal_of([&] { parse_bytes(bytes); });
}

inline bool same_bytes(const CsrMatrix<double>& a, const CsrMatrix<double>& b) {
  return a.rows == b.rows && a.columns == b.columns && a.row_offsets == b.row_offsets &&
         a.column_indices == b.column_indices && a.values.size() == b.values.size() &&
         std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0;
}

}  // namespace sparsecast
