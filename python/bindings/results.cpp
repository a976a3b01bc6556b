#include "python/bindings/results.hpp"

namespace sparsecast::python {

py::object from_json(const std::string& json) {
  return py::module_::import("json").attr("loads")(json);
}

void warn_in_python(const std::string& text) {
  // The caller is a function of the package: its caller is the user.
  constexpr int user = 2;
  if (!text.empty() && PyErr_WarnEx(PyExc_UserWarning, text.c_str(), user) != 0) {
    throw py::error_already_set();
  }
}

}  // namespace sparsecast::python
