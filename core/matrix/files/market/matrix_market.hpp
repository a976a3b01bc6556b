#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/archives/byte_stream.hpp"
#include "core/base/files/byte_source.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/files/matrix_file.hpp"

namespace sparsecast {

enum class MatrixMarketField { real, integer, pattern };
/// What a Matrix Market file says of itself.
struct MatrixMarketHeader {
  bool coordinate = true;  ///< false: array (dense)
  MatrixMarketField field = MatrixMarketField::real;
  StoredSymmetry symmetry = StoredSymmetry::general;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stored_entries = 0;  ///< entries in the file, before expansion
};

/// A file's matrix, and what its header says.
struct MatrixMarketFile : MatrixFromFile {
  MatrixMarketHeader header;
};

/// Reads a Matrix Market file, plain or compressed by gzip or zstd (by content, not by name; of one
/// or several members). Throws `Error` with `FILE:LINE: what is wrong; what was expected` for
/// everything that is not one; lines of compressed files are those of the text in them. A file that
/// is written to while it is read is refused.
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
/// - lines of at most 2^20 characters, complex and Hermitian files refused;
/// - text that comes compressed takes at most 128 bytes an entry and 64 MB.
///
/// Memory: the matrix, 16 bytes for each stored entry (8 for a pattern), and 4 bytes for each row
/// and thread.
MatrixMarketFile read_matrix_market(const std::filesystem::path& path,
                                    const MatrixFileOptions& options = {});

/// The same of bytes elsewhere; `name` stands for the file in messages.
MatrixMarketFile parse_matrix_market(const ByteSource& bytes, const std::string& name,
                                     const MatrixFileOptions& options = {});
MatrixMarketFile parse_matrix_market(std::string_view text, const std::string& name,
                                     const MatrixFileOptions& options = {});

/// The same of text that comes bit by bit, at most `most_bytes` of it.
MatrixMarketFile parse_matrix_market(ByteStream& text, std::uint64_t most_bytes,
                                     const std::string& name,
                                     const MatrixFileOptions& options = {});

struct MatrixMarketWriteOptions {
  bool symmetric = false;    ///< store the lower triangle only; the matrix must be symmetric
  bool pattern = false;      ///< no values
  std::string comment = {};  ///< lines after the banner, without the leading %
  /// Asked now and then; false ends the writing with nothing written.
  std::function<bool(double done)> keep_going = {};
};

/// What a file begins with that holds a column of so many numbers in array format; like all of it
/// compressed by gzip if the name ends in .gz.
std::string matrix_market_vector_head(const std::filesystem::path& path, std::int64_t values,
                                      const std::string& comment);

/// The bytes in such a file of values of which `before` are in front, with enough digits to be read
/// back exactly. Throws `Error` for numbers that are not finite.
std::string matrix_market_vector_text(const std::filesystem::path& path,
                                      std::span<const double> values, std::int64_t before);

/// Writes a column of numbers in array format, as other programs expect vectors, with enough digits
/// to be read back exactly; gzip if the name ends in .gz. The file appears whole or not at all.
void write_matrix_market_vector(const std::filesystem::path& path, std::span<const double> values,
                                const std::string& comment = {});

/// Writes coordinate format, values with enough digits to be read back exactly; gzip if the name
/// ends in .gz. The file appears whole or not at all. False if `keep_going` ended it.
bool write_matrix_market(const std::filesystem::path& path, const CsrView<double>& matrix,
                         const MatrixMarketWriteOptions& options = {});

}  // namespace sparsecast
