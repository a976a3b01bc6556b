#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"

namespace sparsecast {

/// The inverses of a square matrix's N x N diagonal blocks, of rows [0, N), [N, 2N), ...; the last
/// one is of as many rows as are left. Returns N vectors of a value per row: vector k has, of each
/// row, the value in column k of its block's inverse, 0 where a smaller block has no such column,
/// so that row i of the product with v is the sum over k of [k][i] * v[first row of i's block + k].
///
/// `cuts`: rows, rising, in front of which a block that holds rows on both sides is cut in two,
/// each inverted by itself; columns stay counted from the first row of the whole block.
///
/// `own`: of a rank's part, the own rows, where the first block begins (none: all rows); the
/// others have no values. `rows_before`: of the whole matrix in front of these, for what errors
/// name.
///
/// Computed in double by elimination with row exchanges, threaded. Columns rise within rows. Throws
/// `Error` that names the first block which is singular, as far as double can tell, or whose
/// inverse is not finite in T; and for N below 1.
template <class T>
std::vector<std::vector<T>> inverse_blocks(const CsrView<T>& matrix, int block_size,
                                           std::span<const std::int64_t> cuts = {},
                                           const std::optional<Segment>& own = std::nullopt,
                                           std::int64_t rows_before = 0);

}  // namespace sparsecast
