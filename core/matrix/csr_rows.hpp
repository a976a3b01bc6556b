#pragma once

#include <cstdint>

#include "core/base/buffer.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/segment.hpp"

namespace sparsecast {

/// The rows of a segment, as a matrix of all columns.
template <class T>
class CsrRows {
 public:
  CsrRows(const CsrView<T>& matrix, const Segment& segment) : view_(matrix) {
    if (segment.rows() == matrix.rows) return;
    const std::int64_t begin = matrix.row_offsets[segment.begin_row];
    const std::int64_t count = segment.nonzeros(matrix.row_offsets);
    offsets_.resize(static_cast<std::size_t>(segment.rows()) + 1);
    for (std::int64_t row = 0; row <= segment.rows(); ++row) {
      offsets_[row] = matrix.row_offsets[segment.begin_row + row] - begin;
    }
    view_.rows = segment.rows();
    view_.row_offsets = offsets_;
    view_.column_indices = matrix.column_indices.subspan(begin, count);
    view_.values = matrix.values.subspan(begin, count);
  }
  const CsrView<T>& view() const { return view_; }

 private:
  Buffer<std::int64_t> offsets_;  ///< none for the whole matrix
  CsrView<T> view_;
};

}  // namespace sparsecast
