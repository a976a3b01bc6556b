#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/renumbering.hpp"
#include "predict/features/forecast_features.hpp"
#include "predict/matrix_orders.hpp"

namespace sparsecast::python {

namespace py = pybind11;

/// A matrix of Python's: a view of its arrays, which it keeps alive, and what was counted of them.
/// Counts take turns where several threads ask for them.
class Matrix {
 public:
  /// Of arrays in CSR, contiguous and one-dimensional: row offsets of 32 or 64 bits, columns of 32,
  /// values f32 or f64. Nothing is copied but f32 values, which forecasts need in f64: once, when
  /// they are first needed. Throws `Error` as `check_csr` does, and for other arrays.
  Matrix(py::array row_offsets, py::array columns, py::array values, std::int64_t columns_count);
  explicit Matrix(CsrMatrix<double> own);

  std::int64_t rows() const { return pattern_.rows; }
  std::int64_t columns() const { return pattern_.columns; }
  std::int64_t nonzeros() const { return pattern_.nonzeros(); }
  /// The arrays themselves, read-only; `self` is their owner in Python.
  py::array row_offsets_array(py::handle self) const;
  py::array columns_array(py::handle self) const;
  py::array values_array(py::handle self) const;

  // Without the interpreter's lock, under `turn`, which a progress function may take again.
  std::unique_lock<std::recursive_mutex> turn() { return std::unique_lock(mutex_); }
  const CsrView<double>& view();
  /// In f32: the arrays that were given, or a copy for this call.
  CsrView<float> single_view(CsrMatrix<float>& copy) const;
  const MatrixFeatures& features();
  MatrixOrders& orders(Renumbering how);

 private:
  std::vector<py::array> given_;  ///< kept alive
  CsrMatrix<double> own_;         ///< a file's, or values in f64
  PatternView pattern_;
  std::optional<CsrView<float>> single_;
  std::optional<CsrView<double>> view_;
  std::optional<MatrixFeatures> features_;
  std::map<Renumbering, MatrixOrders> orders_;
  std::recursive_mutex mutex_;
};

/// What a forecast is of: a `Matrix`, or features that were counted elsewhere.
struct Subject {
  Matrix* matrix = nullptr;
  const ForecastFeatures* features = nullptr;

  std::int64_t rows() const { return matrix ? matrix->rows() : features->features.rows; }
  const MatrixFeatures& counts() const { return matrix ? matrix->features() : features->features; }
};
/// Throws `Error` for anything else.
Subject subject_of(py::handle value);

/// What messages call it.
std::string subject_text(const Subject& subject);

/// Throws `Error` for values that are NaN or infinite, as readers of matrix files do.
void require_finite(const Subject& subject);

/// The turn of what is a matrix (`Matrix::turn`). Throws `Error` where it is none of a system
/// (`require_system`), and as `require_finite`.
std::unique_lock<std::recursive_mutex> turn_of(const Subject& subject);

}  // namespace sparsecast::python
