#pragma once

#include <map>
#include <optional>

#include "core/analysis/features.hpp"
#include "core/analysis/matrix_access.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/nested_parts.hpp"
#include "core/matrix/renumber.hpp"
#include "core/matrix/renumbering.hpp"

namespace sparsecast {

/// A matrix in one order of its unknowns, with what is counted of it, once and when it is asked
/// for.
class OrderedMatrix {
 public:
  /// As it is given; the matrix must outlive it. With its features where they are known.
  OrderedMatrix(const CsrView<double>& matrix, std::optional<MatrixFeatures> features);
  explicit OrderedMatrix(CsrMatrix<double> renumbered);
  OrderedMatrix(const OrderedMatrix&) = delete;
  OrderedMatrix& operator=(const OrderedMatrix&) = delete;

  const CsrView<double>& matrix() const { return matrix_; }
  const MatrixFeatures& features();
  const MatrixAccess& access();

 private:
  CsrMatrix<double> own_;  ///< empty where the matrix is as given
  CsrView<double> matrix_;
  std::optional<MatrixFeatures> features_;
  std::optional<MatrixAccess> access_;
};

/// What makes the order for so many devices: `how`, or none, as METIS does nothing for one.
Renumbering renumbering_on(int devices, Renumbering how);

/// A matrix in the order that a renumbering gives its unknowns: for METIS another one for each
/// number of devices, and on one device as given; else one for all. Orders are made when they are
/// asked for, and kept.
class MatrixOrders {
 public:
  /// The matrix must outlive it.
  MatrixOrders(const CsrView<double>& matrix, std::optional<MatrixFeatures> features,
               Renumbering how = Renumbering::none);

  Renumbering how() const { return how_; }
  const OrderedMatrix& given() const { return given_; }
  /// In the order for so many devices. Throws what `make_permutation` throws.
  OrderedMatrix& on(int devices);
  /// What makes that order (`renumbering_on`).
  Renumbering renumbering(int devices) const { return renumbering_on(devices, how_); }
  /// What it took to make the orders that were asked for, and to bring the matrix into them.
  double seconds() const { return seconds_; }

 private:
  Permutation permutation(int parts);

  Renumbering how_;
  OrderedMatrix given_;
  std::map<int, OrderedMatrix> renumbered_;  ///< by number of parts
  std::optional<NestedParts> nested_;        ///< once one of their numbers was asked for
  double seconds_ = 0;
};

}  // namespace sparsecast
