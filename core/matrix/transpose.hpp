#pragma once

#include <cstdint>

#include "core/base/buffer.hpp"
#include "core/matrix/csr.hpp"

namespace sparsecast {

/// Where the entries of a matrix lie, without their values.
struct CsrPattern {
  Buffer<std::int64_t> row_offsets;
  Buffer<std::int32_t> column_indices;
};

/// The pattern of A^T, columns rising within rows, on `threads` threads (0: all).
template <class T>
CsrPattern transpose_pattern(const CsrView<T>& matrix, int threads = 0);

/// A^T with its values, columns rising within rows, on `threads` threads (0: all).
template <class T>
CsrMatrix<T> transpose(const CsrView<T>& matrix, int threads = 0);

/// Row offsets from row lengths: `offsets[i + 1]` holds the length of row i and is replaced by the
/// sum of all lengths up to it.
void lengths_to_offsets(Buffer<std::int64_t>& offsets);

}  // namespace sparsecast
