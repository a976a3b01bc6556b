#pragma once

#include <cstdint>
#include <vector>

#include "core/base/threads/thread_team.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/files/stored_entries.hpp"

/// @file
/// How the entries of any file become a matrix: symmetric storage is expanded, rows are sorted,
/// duplicates summed in the file's order (so that the threads do not matter). Entries must lie
/// within the matrix and have finite values; the readers see to it.

namespace sparsecast {

struct AssembledMatrix {
  CsrMatrix<double> matrix;
  std::int64_t duplicates = 0;  ///< stored entries that were added to an earlier one of their place
};

/// The matrix of all entries of a file. Empties the chunks as it goes. Throws `Error` ("what; what
/// was expected") for sums beyond the range of a double.
AssembledMatrix assemble_entries(std::vector<EntryChunk>& chunks, const StoredShape& shape,
                                 bool drop_explicit_zeros, ThreadTeam& team);

AssembledMatrix assemble_entries(std::vector<EntryChunk>& chunks, const StoredShape& shape,
                                 const MatrixFileOptions& options);

/// The same of a matrix whose rows are together already, in general storage, with columns in any
/// order.
AssembledMatrix assemble_rows(CsrMatrix<double> rows, const MatrixFileOptions& options);

}  // namespace sparsecast
