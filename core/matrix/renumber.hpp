#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// A renumbering: `permutation[new_index] = old_index`.
using Permutation = std::vector<std::int32_t>;

/// Throws `Error` for a matrix that is not square: it cannot be renumbered.
template <class T>
void require_square(const CsrView<T>& matrix);

/// Every row where it is. Throws `Error` for fewer than 0 rows and more than 2^31 - 1.
Permutation identity_permutation(std::int64_t size);

/// Uniformly random, seeded; the same on every machine. Throws like `identity_permutation`.
Permutation random_permutation(std::int64_t size, std::uint64_t seed);

/// P A P^T: rows and columns renumbered alike, columns rising within rows, on `threads` threads
/// (0: all). Throws `Error` for a matrix that is not square, and unless `permutation` holds each of
/// its row numbers once.
template <class T>
CsrMatrix<T> renumber(const CsrView<T>& matrix, std::span<const std::int32_t> permutation,
                      int threads = 0);

}  // namespace sparsecast
