#pragma once

#include <optional>
#include <vector>

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
  const CsrView<T>* transpose() const { return transpose_ ? &*transpose_ : nullptr; }
  /// All that there is: the matrix, then the transpose.
  std::vector<const CsrView<T>*> all() const;

 private:
  const CsrView<T>* matrix_;
  CsrMatrix<T> arrays_;  ///< of the transpose
  std::optional<CsrView<T>> transpose_;
};

}  // namespace sparsecast
