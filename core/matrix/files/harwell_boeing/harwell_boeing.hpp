#pragma once

#include <string_view>

#include "core/base/archives/byte_stream.hpp"
#include "core/matrix/files/matrix_file.hpp"

namespace sparsecast {

/// Does the text start like a Harwell-Boeing or Rutherford-Boeing file? Line 2 counts lines, line 3
/// starts with a type such as RSA.
bool is_harwell_boeing(std::string_view beginning);

/// Reads an assembled matrix from a Harwell-Boeing file (Duff, Grimes, Lewis: Users' Guide for the
/// Harwell-Boeing Sparse Matrix Collection, 1992) or a Rutherford-Boeing file (the same: The
/// Rutherford-Boeing Sparse Matrix Collection, 1997): four or five lines of header, then offsets of
/// columns, row indices and values in the Fortran formats that it names. Types: real, integer or
/// pattern; unsymmetric, rectangular, symmetric or skew-symmetric, the latter two expanded; entries
/// of patterns have the value 1. Complex, Hermitian and element matrices, and values in another
/// file (type q) are refused. Right-hand sides behind the matrix are left alone.
/// Throws `Error` ("line N: what; what was expected", without a file name).
///
/// Memory: the text, the matrix, and 16 bytes for each stored entry.
MatrixFromFile parse_harwell_boeing(ByteStream& text, const MatrixFileOptions& options = {});

}  // namespace sparsecast
