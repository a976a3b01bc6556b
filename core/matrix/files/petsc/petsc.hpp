#pragma once

#include "core/base/files/byte_source.hpp"
#include "core/matrix/files/matrix_file.hpp"

namespace sparsecast {

/// Reads the sparse matrix (Mat, aij) that a file of PETSc's binary viewer begins with, as MatView
/// writes and MatLoad documents it: big-endian integers class (1211216), rows, columns, nonzeros,
/// the length of each row, columns counted from 0, values. Integers of 32 or, where PETSc was
/// configured with 64-bit indices, 64 bits, which the class tells. Values are doubles or, where the
/// file's size says so, floats; complex values, dense matrices, vectors and other objects are
/// refused. Objects behind the matrix, such as a right-hand side, are left alone.
/// (A file of doubles that is cut exactly where floats would end cannot be told from one of
/// floats.) Throws `Error` ("at byte N: what; what was expected", without a file name).
///
/// Memory: the matrix.
MatrixFromFile parse_petsc(const ByteSource& file, const MatrixFileOptions& options = {});

}  // namespace sparsecast
