#pragma once

#include <cstdint>

#include "core/base/buffer.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"

namespace sparsecast {

/// The entries of a rank's rows in columns of its halo, by rows that have any (compressed twice:
/// most rows of a part have none).
template <class T>
struct HaloEntries {
  Buffer<std::int32_t> rows;     ///< counted from the first own one, rising
  Buffer<std::int64_t> offsets;  ///< one more than rows: where each of them begins
  Buffer<std::int32_t> columns;  ///< counted from the first own one: negative in front of it
  Buffer<T> values;
};

/// A rank's matrix in two: as y = own x + halo x, of which the first needs nobody else.
template <class T>
struct SplitMatrix {
  CsrMatrix<T> own;     ///< as large as the whole one, without entries in the halo
  HaloEntries<T> halo;  ///< the others
};

/// Splits a matrix in the numbers of a part, of which the rows `own` alone have entries. Columns
/// rise within rows, and still do. Cost: two threaded passes and a copy
/// of the matrix.
template <class T>
SplitMatrix<T> split_at_halo(const CsrView<T>& matrix, const Segment& own);

}  // namespace sparsecast
