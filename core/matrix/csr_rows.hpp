#pragma once

#include <cstddef>
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
    const auto first = static_cast<std::size_t>(segment.begin_row);
    const auto rows = static_cast<std::size_t>(segment.rows());
    const auto begin = static_cast<std::size_t>(matrix.row_offsets[first]);
    const auto count = static_cast<std::size_t>(matrix.row_offsets[first + rows]) - begin;
    offsets_.resize(rows + 1);
    for (std::size_t row = 0; row <= rows; ++row) {
      offsets_[row] = matrix.row_offsets[first + row] - static_cast<std::int64_t>(begin);
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
