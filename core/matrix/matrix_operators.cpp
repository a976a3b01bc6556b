#include "core/matrix/matrix_operators.hpp"

#include "core/matrix/transpose.hpp"

namespace sparsecast {

template <class T>
MatrixOperators<T>::MatrixOperators(const CsrView<T>* matrix, bool with_transpose)
    : matrix_(matrix), has_transpose_(matrix != nullptr && with_transpose) {
  if (!has_transpose_) return;
  transpose_ = sparsecast::transpose(*matrix);
  transpose_view_ = transpose_.view();
}

template class MatrixOperators<float>;
template class MatrixOperators<double>;

}  // namespace sparsecast
