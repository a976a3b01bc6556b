#pragma once

#include <cstdint>
#include <vector>

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// A matrix as most callers have it: row offsets of 32 bits. It shares the rest, so the matrix must
/// outlive it.
template <class T>
class NarrowOffsets {
 public:
  explicit NarrowOffsets(const CsrMatrix<T>& matrix)
      : offsets_(matrix.row_offsets.begin(), matrix.row_offsets.end()), view_(matrix.view()) {
    view_.row_offsets = offsets_;
  }
  NarrowOffsets(const NarrowOffsets&) = delete;
  NarrowOffsets& operator=(const NarrowOffsets&) = delete;

  const CsrView<T>& view() const { return view_; }

 private:
  std::vector<std::int32_t> offsets_;
  CsrView<T> view_;
};

}  // namespace sparsecast
