#pragma once

#include "core/base/files/byte_source.hpp"
#include "core/matrix/files/matrix_file.hpp"

namespace sparsecast {

/// Reads a sparse matrix that `scipy.sparse.save_npz` wrote (a zip archive of NumPy arrays,
/// compressed or not): formats csr, csc, coo, bsr and dia; indices of 32 or 64 bits; values float,
/// double, integers or booleans. Of dia zeros are padding, as for SciPy; elsewhere they are
/// entries. All sizes are compared with each other and with the archive before memory is taken for
/// them. Throws `Error` ("MEMBER: what; what was expected", without a file name).
///
/// Memory: the matrix, and its largest array as it is in the file; of csc and coo all twice.
MatrixFromFile parse_npz(const ByteSource& file, const MatrixFileOptions& options = {});

}  // namespace sparsecast
