#include "python/bindings/arguments.hpp"

#include <pybind11/numpy.h>

#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast::python {
namespace {

[[noreturn]] void refuse(const std::string& name, const char* expected, py::handle value) {
  refuse_argument(name, std::string("expected ") + expected + ", found " + found_text(value));
}

/// Of a whole number that is beyond those that are counted with.
[[noreturn]] void refuse_size(const std::string& name, py::handle value) {
  refuse_argument(name, found_text(value) + " is too large");
}

}  // namespace

void refuse_argument(const std::string& name, const std::string& text) {
  throw Error(name + ": " + text);
}

std::string found_text(py::handle value) {
  if (!py::isinstance<py::str>(value) && py::hasattr(value, "dtype") &&
      py::hasattr(value, "shape") && py::len(value.attr("shape")) > 0) {
    return "an array of " + std::string(py::str(value.attr("dtype"))) + " and shape " +
           std::string(py::str(value.attr("shape")));
  }
  constexpr std::size_t most = 60;
  std::string text = py::repr(value);
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // UTF-8
  return text.substr(0, end) + "...";
}

double number_of(const std::string& name, py::handle value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(name, "a number", value);
  }
  return number;
}

std::int64_t whole_of(const std::string& name, py::handle value) {
  if (PyFloat_Check(value.ptr()) != 0) {
    const double number = PyFloat_AS_DOUBLE(value.ptr());
    constexpr double most = 9e15;  // below 2^53: each is a whole number of its own
    if (std::abs(number) <= most && number == std::floor(number)) {
      return static_cast<std::int64_t>(number);
    }
    if (std::isfinite(number) && number == std::floor(number)) refuse_size(name, value);
    refuse(name, "a whole number", value);
  }
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  int overflow = 0;
  const long long number = index ? PyLong_AsLongLongAndOverflow(index.ptr(), &overflow) : 0;
  if (!index) {
    PyErr_Clear();
    refuse(name, "a whole number", value);
  }
  if (overflow != 0) refuse_size(name, value);
  return number;
}

bool truth_of(const std::string& name, py::handle value) {
  if (PyBool_Check(value.ptr()) == 0) refuse(name, "True or False", value);
  return value.is(py::handle(Py_True));
}

std::string text_of(const std::string& name, py::handle value) {
  if (!py::isinstance<py::str>(value)) refuse(name, "a text", value);
  return value.cast<std::string>();
}

std::filesystem::path path_of(const std::string& name, py::handle value) {
  const auto path = py::reinterpret_steal<py::object>(PyOS_FSPath(value.ptr()));
  if (!path || !py::isinstance<py::str>(path)) {
    PyErr_Clear();
    refuse(name, "a path", value);
  }
  return path.cast<std::string>();
}

std::vector<py::object> elements_of(py::handle value) {
  if (py::isinstance<py::str>(value) || !py::isinstance<py::sequence>(value)) {
    const bool array = py::hasattr(value, "tolist") && py::hasattr(value, "dtype");
    if (!array) return {py::reinterpret_borrow<py::object>(value)};
    const py::object list = value.attr("tolist")();
    if (!py::isinstance<py::sequence>(list)) return {list};
    return elements_of(list);
  }
  std::vector<py::object> elements;
  for (const py::handle each : value) elements.push_back(py::reinterpret_borrow<py::object>(each));
  return elements;
}

std::vector<py::object> several_of(const std::string& name, py::handle value) {
  std::vector<py::object> several = elements_of(value);
  if (several.empty()) refuse_argument(name, "expected at least one");
  return several;
}

std::vector<double> vector_of(const std::string& name, py::handle value, std::int64_t rows) {
  const py::array array = [&]() -> py::array {
    try {
      return py::module_::import("numpy").attr("asarray")(value);
    } catch (py::error_already_set& error) {
      if (!error.matches(PyExc_Exception)) throw;
      refuse_argument(name, "expected numbers, found " + found_text(value));
    }
  }();
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b') {
    refuse_argument(name, "expected real numbers, found " + found_text(array));
  }
  const bool column = array.ndim() == 2 && array.shape(1) == 1;
  if ((array.ndim() != 1 && !column) || array.shape(0) != rows) {
    refuse_argument(name,
                    "expected " + std::to_string(rows) + " values, found " + found_text(array));
  }
  const py::array_t<double, py::array::c_style | py::array::forcecast> values(array);
  return {values.data(), values.data() + rows};
}

bool Arguments::has(const char* name) const {
  return given_.contains(name) && !given_[name].is_none();
}

void Arguments::read(const char* name, double& value) const {
  if (has(name)) value = number_of(name, at(name));
}

void Arguments::read(const char* name, std::int64_t& value) const {
  if (has(name)) value = whole_of(name, at(name));
}

void Arguments::read(const char* name, int& value) const {
  if (!has(name)) return;
  const std::int64_t whole = whole_of(name, at(name));
  if (whole < std::numeric_limits<int>::min() || whole > std::numeric_limits<int>::max()) {
    refuse(name, "a smaller number", at(name));
  }
  value = static_cast<int>(whole);
}

void Arguments::read(const char* name, std::uint64_t& value) const {
  if (!has(name)) return;
  const std::int64_t whole = whole_of(name, at(name));
  if (whole < 0) refuse(name, "a number that is not negative", at(name));
  value = static_cast<std::uint64_t>(whole);
}

void Arguments::read(const char* name, bool& value) const {
  if (has(name)) value = truth_of(name, at(name));
}

void Arguments::read(const char* name, std::string& value) const {
  if (has(name)) value = text_of(name, at(name));
}

void Arguments::read(const char* name, Precision& value) const {
  if (!has(name)) return;
  const std::string text = text_of(name, at(name));
  for (const Precision known : {Precision::f32, Precision::f64}) {
    if (text != to_string(known)) continue;
    value = known;
    return;
  }
  refuse(name, "f32 or f64", at(name));
}

void Arguments::read(const char* name, CurveKind& value) const {
  if (!has(name)) return;
  const std::string text = text_of(name, at(name));
  if (text != "average" && text != "maximum") refuse(name, "average or maximum", at(name));
  value = text == "average" ? CurveKind::average : CurveKind::maximum;
}

void Arguments::read(const char* name, Layout& value) const {
  read(name, value, parse_layout);
}

void Arguments::read(const char* name, std::vector<Layout>& values) const {
  if (!has(name)) return;
  values.clear();
  for (const py::object& each : several_of(name, at(name))) {
    values.push_back(parsed(name, each, parse_layout));
  }
}

}  // namespace sparsecast::python
