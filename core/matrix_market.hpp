#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/csr.hpp"

namespace sparsecast {

enum class MatrixMarketField { real, integer, pattern };
enum class MatrixMarketSymmetry { general, symmetric, skew_symmetric };

/// What a Matrix Market file says of itself.
struct MatrixMarketHeader {
  bool coordinate = true;  ///< false: array (dense)
  MatrixMarketField field = MatrixMarketField::real;
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stored_entries = 0;  ///< entries in the file, before expansion
};

struct MatrixMarketOptions {
  bool drop_explicit_zeros = false;  ///< by default stored zeros stay (as in the paper's counts)
  int threads = 0;                   ///< 0: all
};

/// A file's matrix: symmetric storage expanded, duplicates summed, columns rising within rows;
/// pattern files get the value 1.
struct MatrixMarketFile {
  MatrixMarketHeader header;
  CsrMatrix<double> matrix;
};

/// Reads a plain or gzip-compressed (by content, not by name) Matrix Market file. Throws `Error`
/// with `FILE:LINE: what is wrong; what was expected` for everything that is not one.
MatrixMarketFile read_matrix_market(const std::filesystem::path& path,
                                    const MatrixMarketOptions& options = {});

/// The same from memory; `name` stands for the file in messages.
MatrixMarketFile parse_matrix_market(std::string_view text, const std::string& name,
                                     const MatrixMarketOptions& options = {});

struct MatrixMarketWriteOptions {
  bool symmetric = false;  ///< store the lower triangle only; the matrix must be symmetric
  bool pattern = false;    ///< no values
  std::string comment;     ///< lines after the banner, without the leading %
};

/// Writes coordinate format, values with enough digits to be read back exactly; gzip if the name
/// ends in .gz. The file appears whole or not at all.
void write_matrix_market(const std::filesystem::path& path, const CsrView<double>& matrix,
                         const MatrixMarketWriteOptions& options = {});

}  // namespace sparsecast
