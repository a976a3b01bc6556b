#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "core/base/text/json_text.hpp"

/// @file
/// How results look in Python, and what is said beside them.

namespace sparsecast::python {

namespace py = pybind11;

/// The Python value of a JSON text: how every `to_dict` is made, so that keys are those that the
/// program prints.
py::object from_json(const std::string& json);
inline py::object from_json(const JsonValue& json) {
  return from_json(json.text());
}

/// A value's name as a text of Python's; None for nothing.
template <class Value>
std::string name_of(const Value& value) {
  return std::string(to_string(value));
}
template <class Value>
std::optional<std::string> name_of(const std::optional<Value>& value) {
  if (!value) return std::nullopt;
  return name_of(*value);
}

/// Warns on the line of the caller's caller; nothing for an empty text. What a user's filter makes
/// of the warning may raise.
void warn_in_python(const std::string& text);

/// Classes that are bound belong to the package, not to its compiled part.
template <class... Types>
void set_module() {
  (py::setattr(py::type::of<Types>(), "__module__", py::str("sparsecast")), ...);
}

}  // namespace sparsecast::python
