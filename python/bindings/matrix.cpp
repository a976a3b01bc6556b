#include "python/bindings/matrix.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/error.hpp"
#include "core/matrix/files/read_matrix_file.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/results.hpp"
#include "python/bindings/watch.hpp"

namespace sparsecast::python {
namespace {

template <class T>
bool holds(const py::array& array) {
  return py::isinstance<py::array_t<T>>(array);
}

template <class T>
std::span<const T> span_of(const py::array& array) {
  return {static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size())};
}

void require_plain(const char* name, const py::array& array) {
  if (array.ndim() != 1) {
    refuse_argument(name, "expected one dimension, found " + found_text(array));
  }
  if ((array.flags() & py::array::c_style) == 0) {
    refuse_argument(name, "expected a contiguous array");
  }
}

RowOffsets offsets_of(const py::array& array) {
  require_plain("row_offsets", array);
  if (holds<std::int32_t>(array)) return span_of<std::int32_t>(array);
  if (holds<std::int64_t>(array)) return span_of<std::int64_t>(array);
  refuse_argument("row_offsets", "expected int32 or int64, found " + found_text(array));
}

std::span<const std::int32_t> columns_of(const py::array& array) {
  require_plain("columns", array);
  if (holds<std::int32_t>(array)) return span_of<std::int32_t>(array);
  refuse_argument("columns", "expected int32, found " + found_text(array));
}

template <class T>
py::array shared(std::span<const T> values, py::handle owner) {
  py::array_t<T> array(static_cast<py::ssize_t>(values.size()), values.data(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

/// Of the tuple that the package's `csr_arrays` makes: row offsets, columns, values and shape.
std::unique_ptr<Matrix> matrix_of(const py::tuple& arrays) {
  const std::vector<py::object> sizes = elements_of(arrays[3]);
  if (sizes.size() != 2) refuse_argument("shape", "expected rows and columns");
  const std::int64_t rows = whole_of("shape", sizes[0]);
  const py::array offsets = arrays[0];
  if (offsets.size() != rows + 1) {
    refuse_argument("row_offsets", "expected rows + 1 = " + std::to_string(rows + 1) + ", found " +
                                       std::to_string(offsets.size()));
  }
  return std::make_unique<Matrix>(offsets, py::array(arrays[1]), py::array(arrays[2]),
                                  whole_of("shape", sizes[1]));
}

/// Of what Python has.
std::unique_ptr<Matrix> make_matrix(const py::object& given, const py::object& shape) {
  const py::module_ package = py::module_::import("sparsecast._arrays");
  const py::tuple arrays = package.attr("csr_arrays")(given, shape);
  try {
    return matrix_of(arrays);
  } catch (const Error& error) {
    // scipy takes columns in any order.
    const bool order = std::string(error.what()).find("rise strictly") != std::string::npos;
    if (!order || !py::hasattr(given, "sum_duplicates")) throw;
    const py::object sorted = package.attr("sorted_csr_arrays")(given);
    if (sorted.is_none()) throw;
    return matrix_of(sorted);
  }
}

}  // namespace

Matrix::Matrix(py::array row_offsets, py::array columns, py::array values,
               std::int64_t columns_count) {
  pattern_.row_offsets = offsets_of(row_offsets);
  pattern_.column_indices = columns_of(columns);
  if (pattern_.row_offsets.size() == 0)
    refuse_argument("row_offsets", "expected rows + 1, found 0");
  pattern_.rows = static_cast<std::int64_t>(pattern_.row_offsets.size()) - 1;
  pattern_.columns = columns_count;
  require_plain("values", values);
  const auto view = [this](auto numbers) {
    return CsrView<typename decltype(numbers)::value_type>{
        pattern_.rows, pattern_.columns, pattern_.row_offsets, pattern_.column_indices, numbers};
  };
  if (holds<double>(values)) {
    view_ = view(span_of<double>(values));
  } else if (holds<float>(values)) {
    single_ = view(span_of<float>(values));
  } else {
    refuse_argument("values", "expected float32 or float64, found " + found_text(values));
  }
  given_ = {std::move(row_offsets), std::move(columns), std::move(values)};
  without_lock(py::none(), [this](Watch&) { view_ ? check_csr(*view_) : check_csr(*single_); });
}

Matrix::Matrix(CsrMatrix<double> own) : own_(std::move(own)), view_(own_.view()) {
  pattern_ = view_->pattern();
}

py::array Matrix::row_offsets_array(py::handle self) const {
  if (!given_.empty()) return given_[0];
  return shared(pattern_.row_offsets.wide(), self);
}

py::array Matrix::columns_array(py::handle self) const {
  return given_.empty() ? shared(pattern_.column_indices, self) : given_[1];
}

py::array Matrix::values_array(py::handle self) const {
  return given_.empty() ? shared(std::span<const double>(own_.values), self) : given_[2];
}

const CsrView<double>& Matrix::view() {
  if (!view_) {
    own_ = convert_values<double>(*single_);
    own_.row_offsets = {};  // those of the view are there already
    own_.column_indices = {};
    view_ = CsrView<double>{pattern_.rows, pattern_.columns, pattern_.row_offsets,
                            pattern_.column_indices, own_.values};
  }
  return *view_;
}

CsrView<float> Matrix::single_view(CsrMatrix<float>& copy) const {
  if (single_) return *single_;
  copy = convert_values<float>(*view_);
  return copy.view();
}

const MatrixFeatures& Matrix::features() {
  if (!features_) features_ = compute_features(view());
  return *features_;
}

MatrixOrders& Matrix::orders(Renumbering how) {
  const auto known = orders_.find(how);
  if (known != orders_.end()) return known->second;
  return orders_.try_emplace(how, view(), features(), how).first->second;
}

Subject subject_of(py::handle value) {
  if (py::isinstance<Matrix>(value)) return {value.cast<Matrix*>(), nullptr};
  if (py::isinstance<ForecastFeatures>(value)) {
    return {nullptr, value.cast<const ForecastFeatures*>()};
  }
  refuse_argument("A", "expected a matrix or its features, found " + found_text(value));
}

std::string subject_text(const Subject& subject) {
  return subject.matrix != nullptr ? "the matrix" : subject.features->source;
}

void require_finite(const Subject& subject) {
  const std::int64_t count = subject.counts().not_finite;
  if (count == 0) return;
  throw Error(subject_text(subject) + ": " + std::to_string(count) +
              (count == 1 ? " value is" : " values are") +
              " NaN or infinite; expected finite numbers");
}

std::unique_lock<std::recursive_mutex> turn_of(const Subject& subject) {
  std::unique_lock<std::recursive_mutex> turn;
  if (subject.matrix != nullptr) {
    require_system(subject.matrix->rows(), subject.matrix->columns());
    turn = subject.matrix->turn();
  }
  require_finite(subject);
  return turn;
}

void bind_matrix(py::module_& module) {
  py::class_<Matrix>(module, "Matrix", R"(
A sparse matrix, with what was counted of it so far: for several forecasts of the same.

A: a matrix of scipy.sparse, or a tuple (row_offsets, columns, values) in CSR. Arrays of a
csr_matrix or csr_array, and those of int32 or int64 (row_offsets), int32 (columns) and float32 or
float64 (values), are not copied: leave them as they are while this lives. A csr_matrix whose columns
do not rise within rows is sorted in a copy, entries of one place summed. shape: rows and columns
of arrays; default square. Raises `Error` that names the first bad row.

>>> matrix = sparsecast.Matrix(A)
>>> np.shares_memory(matrix.values, A.data)
True
)")
      .def(py::init(&make_matrix), py::arg("A"), py::arg("shape") = py::none())
      .def_property_readonly(
          "shape", [](const Matrix& self) { return std::pair(self.rows(), self.columns()); },
          "Rows and columns.")
      .def_property_readonly("nonzeros", &Matrix::nonzeros, "Entries, explicit zeros included.")
      .def_property_readonly(
          "row_offsets",
          [](py::object self) { return self.cast<const Matrix&>().row_offsets_array(self); },
          "Where rows begin: rows + 1 numbers, int32 or int64.")
      .def_property_readonly(
          "columns", [](py::object self) { return self.cast<const Matrix&>().columns_array(self); },
          "The column of each entry, from 0, int32.")
      .def_property_readonly(
          "values", [](py::object self) { return self.cast<const Matrix&>().values_array(self); },
          "The value of each entry.")
      .def("__repr__", [](const Matrix& self) {
        return "<sparsecast.Matrix: " + std::to_string(self.rows()) + " rows, " +
               std::to_string(self.columns()) + " columns, " + std::to_string(self.nonzeros()) +
               " nonzeros>";
      });
  module.def("read_matrix", [](py::handle path) {
    const std::filesystem::path file = path_of("path", path);
    return without_lock(py::none(), [&](Watch&) {
      return std::make_unique<Matrix>(read_matrix_file(file).matrix);
    });
  });
  set_module<Matrix>();
}

}  // namespace sparsecast::python
