#include "core/matrix/matrix_operators.hpp"

#include "core/matrix/transpose.hpp"

namespace sparsecast {

template <class T>
MatrixOperators<T>::MatrixOperators(const CsrView<T>* matrix, bool with_transpose)
    : matrix_(matrix) {
  if (matrix == nullptr || !with_transpose) return;
  arrays_ = sparsecast::transpose(*matrix);
  transpose_ = arrays_.view();
}

template <class T>
std::vector<const CsrView<T>*> MatrixOperators<T>::all() const {
  std::vector<const CsrView<T>*> all;
  if (matrix_ != nullptr) all.push_back(matrix_);
  if (transpose_) all.push_back(&*transpose_);
  return all;
}

template class MatrixOperators<float>;
template class MatrixOperators<double>;

}  // namespace sparsecast
