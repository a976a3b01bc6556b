#pragma once

#include <vector>

#include "core/base/threads/thread_team.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/market/matrix_market.hpp"
#include "core/matrix/market/matrix_market_chunk.hpp"

namespace sparsecast {

/// Makes the matrix of all entries of a file: expands symmetric storage, sorts within rows, sums
/// duplicates in the file's order (so that the threads do not matter). Empties the chunks as it
/// goes. Throws `Error` ("what; what was expected") for sums beyond the range of a double.
MatrixMarketFile assemble_chunks(std::vector<EntryChunk>& chunks, const MatrixMarketHeader& header,
                                 bool drop_explicit_zeros, ThreadTeam& team);

}  // namespace sparsecast
