#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/matrix_files.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/files/matrix_file.hpp"
#include "core/matrix/renumbering.hpp"

namespace sparsecast::cli {

/// A matrix that is made when its turn comes, so that only one is in memory.
struct MatrixSource {
  std::string name;
  std::function<CsrMatrix<double>()> make;
  std::string file{};  ///< that it is read from; empty: it is generated
};

/// Matrix files, read on `threads` threads (0: all).
std::vector<MatrixSource> file_sources(std::span<const MatrixFile> files, int threads);

/// What a line about a matrix says of its orders: nothing, "; renumbered: rcm", or "; orders: none,
/// rcm".
std::string order_text(std::span<const Renumbering> orders);

/// Refuses --renumber beside --unknowns and --elements, which name no matrix: throws `UsageError`.
void require_matrix_to_renumber(Renumbering how);

/// Reads a matrix file, and warns where entries stand in it more than once. Throws `Error` that
/// says so for a features file, which has none.
MatrixFromFile read_matrix(const std::string& path, const MatrixFileOptions& options = {});

/// A file's matrix to predict or advise on. Throws `Error` for one that is not square, or has no
/// rows.
MatrixFromFile read_square_matrix(const std::string& path);

}  // namespace sparsecast::cli
