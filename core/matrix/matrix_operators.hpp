#pragma once

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// What a schedule multiplies by: a matrix and, where it needs that, the transpose.
template <class T>
class MatrixOperators {
 public:
  /// `matrix` outlives this; null for vectors only. The transpose is made on all threads.
  MatrixOperators(const CsrView<T>* matrix, bool with_transpose);
  // A view of its own arrays lies within.
  MatrixOperators(const MatrixOperators&) = delete;
  MatrixOperators& operator=(const MatrixOperators&) = delete;

  /// Null for vectors only.
  const CsrView<T>* matrix() const { return matrix_; }
  /// Null where nobody needs it.
  const CsrView<T>* transpose() const { return has_transpose_ ? &transpose_view_ : nullptr; }

 private:
  const CsrView<T>* matrix_;
  bool has_transpose_;
  CsrMatrix<T> transpose_;
  CsrView<T> transpose_view_;
};

}  // namespace sparsecast
