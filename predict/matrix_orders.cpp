#include "predict/matrix_orders.hpp"

#include <utility>

#include "core/base/stopwatch.hpp"

namespace sparsecast {

OrderedMatrix::OrderedMatrix(const CsrView<double>& matrix, std::optional<MatrixFeatures> features)
    : matrix_(matrix), features_(std::move(features)) {}

OrderedMatrix::OrderedMatrix(CsrMatrix<double> renumbered)
    : own_(std::move(renumbered)), matrix_(own_.view()) {}

const MatrixFeatures& OrderedMatrix::features() {
  if (!features_) features_ = compute_features(matrix_);
  return *features_;
}

const MatrixAccess& OrderedMatrix::access() {
  if (!access_) access_ = compute_access(matrix_);
  return *access_;
}

MatrixOrders::MatrixOrders(const CsrView<double>& matrix, std::optional<MatrixFeatures> features,
                           Renumbering how)
    : how_(how), given_(matrix, std::move(features)) {}

Renumbering renumbering_on(int devices, Renumbering how) {
  return how == Renumbering::metis && devices == 1 ? Renumbering::none : how;
}

OrderedMatrix& MatrixOrders::on(int devices) {
  if (renumbering(devices) == Renumbering::none) return given_;
  const int parts = how_ == Renumbering::metis ? devices : 1;
  const auto known = renumbered_.find(parts);
  if (known != renumbered_.end()) return known->second;
  const double start = steady_seconds();
  OrderedMatrix& made =
      renumbered_.try_emplace(parts, renumber<double>(given_.matrix(), permutation(parts)))
          .first->second;
  seconds_ += steady_seconds() - start;
  return made;
}

Permutation MatrixOrders::permutation(int parts) {
  const CsrView<double>& matrix = given_.matrix();
  if (how_ != Renumbering::metis || !cuts_nested(parts)) {
    return make_permutation(how_, matrix, parts);
  }
  if (!nested_) nested_.emplace(matrix);
  return nested_->order(parts);
}

}  // namespace sparsecast
