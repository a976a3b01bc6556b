#pragma once

#include <cstdint>
#include <span>

#include "core/base/buffer.hpp"
#include "core/base/precision.hpp"
#include "core/matrix/row_offsets.hpp"

namespace sparsecast {

/// Where the entries of a matrix in Compressed Sparse Row storage are, whatever their values.
struct PatternView {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  RowOffsets row_offsets;                        ///< rows + 1 entries
  std::span<const std::int32_t> column_indices;  ///< one per nonzero

  std::int64_t nonzeros() const { return static_cast<std::int64_t>(column_indices.size()); }
};

/// A matrix in Compressed Sparse Row storage that belongs to somebody else. It is the input of
/// every function that takes a matrix: a caller with arrays of its own, row offsets of 32 or 64
/// bits, makes a view of them: no copy and no file.
///
/// Row i holds the entries `row_offsets[i] .. row_offsets[i + 1] - 1`; columns are counted from 0.
/// Functions that need columns sorted within a row say so (`check_csr` checks it).
template <class T>
struct CsrView {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  RowOffsets row_offsets;                        ///< rows + 1 entries, the first is 0
  std::span<const std::int32_t> column_indices;  ///< one per nonzero
  std::span<const T> values;                     ///< one per nonzero

  /// Entries as given, explicit zeros included.
  std::int64_t nonzeros() const { return static_cast<std::int64_t>(column_indices.size()); }
  PatternView pattern() const { return {rows, columns, row_offsets, column_indices}; }
};

/// A matrix in CSR storage that owns its arrays.
template <class T>
struct CsrMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Buffer<std::int64_t> row_offsets;
  Buffer<std::int32_t> column_indices;
  Buffer<T> values;

  std::int64_t nonzeros() const { return static_cast<std::int64_t>(column_indices.size()); }
  CsrView<T> view() const { return {rows, columns, row_offsets, column_indices, values}; }
  operator CsrView<T>() const { return view(); }  // NOLINT: an owner is usable as a view
};

/// Checks a caller's arrays: sizes agree, offsets start at 0 and never fall, columns lie in
/// [0, columns) and rise strictly within a row. Throws `Error` naming the first row that does not.
/// Cost: one threaded pass.
template <class T>
void check_csr(const CsrView<T>& matrix);

/// The same pattern with values converted to another precision.
template <class To, class From>
CsrMatrix<To> convert_values(const CsrView<From>& matrix);

}  // namespace sparsecast
