#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/matrix/csr.hpp"

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
  std::int64_t duplicates = 0;  ///< stored entries that were added to an earlier one of their place
};

/// Reads a plain or gzip-compressed (by content, not by name; of one or several members) Matrix
/// Market file. Throws `Error` with `FILE:LINE: what is wrong; what was expected` for everything
/// that is not one; lines of compressed files are those of the text in them. A file that is written
/// to while it is read is refused.
///
/// Accepted beyond the strict format: a UTF-8 byte order mark, upper and lower case in the banner,
/// blanks around columns, CRLF, blank lines and comments anywhere after the banner, a last line
/// without an end, signs (+), Fortran exponents (1.0D+00), a skew-symmetric pattern (1 below the
/// diagonal, -1 above).
///
/// Values are the nearest doubles; too small ones become 0. Limits, so that a damaged or hostile
/// file cannot ask for more memory than it brings data:
/// - rows and columns at most 2^31 - 1; more than 2^20 rows, or columns, need an entry for every 16
///   of them;
/// - no more entries announced than bytes follow;
/// - values finite; in integer files at most 2^53 in magnitude (exact in a double);
/// - lines of at most 2^20 characters, complex and Hermitian files refused.
///
/// Memory: the matrix, 16 bytes for each stored entry (8 for a pattern), and 4 bytes for each row
/// and thread, and the compressed bytes of a .gz file.
MatrixMarketFile read_matrix_market(const std::filesystem::path& path,
                                    const MatrixMarketOptions& options = {});

/// The same from memory; `name` stands for the file in messages.
MatrixMarketFile parse_matrix_market(std::string_view text, const std::string& name,
                                     const MatrixMarketOptions& options = {});

struct MatrixMarketWriteOptions {
  bool symmetric = false;    ///< store the lower triangle only; the matrix must be symmetric
  bool pattern = false;      ///< no values
  std::string comment = {};  ///< lines after the banner, without the leading %
  /// Asked now and then; false ends the writing with nothing written.
  std::function<bool(double done)> keep_going = {};
};

/// Writes a column of numbers in array format, as other programs expect vectors, with enough digits
/// to be read back exactly; gzip if the name ends in .gz. The file appears whole or not at all.
void write_matrix_market_vector(const std::filesystem::path& path, std::span<const double> values,
                                const std::string& comment = {});

/// Writes coordinate format, values with enough digits to be read back exactly; gzip if the name
/// ends in .gz. The file appears whole or not at all. False if `keep_going` ended it.
bool write_matrix_market(const std::filesystem::path& path, const CsrView<double>& matrix,
                         const MatrixMarketWriteOptions& options = {});

}  // namespace sparsecast
