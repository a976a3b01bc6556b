#pragma once

#include <pybind11/pybind11.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/precision.hpp"
#include "core/workload/layout.hpp"
#include "model/paper/iteration_time.hpp"

/// @file
/// Values that Python hands over, read with one line of reason where they are not what was expected
/// (pybind11's own message takes several). All throw `Error` and need the interpreter's lock.

namespace sparsecast::python {

namespace py = pybind11;

/// "'abc'": what was found, for messages, on one line and not too long.
std::string found_text(py::handle value);

double number_of(const std::string& name, py::handle value);
/// Whole numbers, floats without a fraction (1e6) among them.
std::int64_t whole_of(const std::string& name, py::handle value);
bool truth_of(const std::string& name, py::handle value);
std::string text_of(const std::string& name, py::handle value);
/// Of a text or a path-like object.
std::filesystem::path path_of(const std::string& name, py::handle value);
/// The elements of a list, a tuple or an array; what is none of them, and a text, is one element.
std::vector<py::object> elements_of(py::handle value);
/// The same of an argument that may be several: throws where there are none.
std::vector<py::object> several_of(const std::string& name, py::handle value);
/// The values of a vector, one for each row: of one dimension, or a single column.
std::vector<double> vector_of(const std::string& name, py::handle value, std::int64_t rows);

/// Named arguments of a call. What is absent or None leaves a default as it is.
class Arguments {
 public:
  explicit Arguments(py::dict given) : given_(std::move(given)) {}

  bool has(const char* name) const;
  /// Of one that is there.
  py::object at(const char* name) const { return given_[name]; }

  void read(const char* name, double& value) const;
  void read(const char* name, bool& value) const;
  void read(const char* name, std::string& value) const;
  void read(const char* name, Precision& value) const;
  void read(const char* name, CurveKind& value) const;
  void read(const char* name, Layout& value) const;
  void read(const char* name, std::vector<Layout>& values) const;
  void read(const char* name, std::int64_t& value) const;
  void read(const char* name, int& value) const;
  void read(const char* name, std::uint64_t& value) const;
  template <class Value>
  void read(const char* name, std::optional<Value>& value) const {
    if (has(name)) read(name, value.emplace());
  }
  /// By a function of a name that throws `Error` for one that it does not know.
  template <class Value, class Parse>
  requires std::invocable<Parse, const std::string&>
  void read(const char* name, Value& value, const Parse& parse) const {
    if (has(name)) value = parsed(name, at(name), parse);
  }

  /// What `parse` makes of a text; its `Error` gets the argument's name in front.
  template <class Parse>
  static auto parsed(const std::string& name, py::handle value, const Parse& parse);

 private:
  py::dict given_;
};

/// `text` behind the name of an argument.
[[noreturn]] void refuse_argument(const std::string& name, const std::string& text);

template <class Parse>
auto Arguments::parsed(const std::string& name, py::handle value, const Parse& parse) {
  const std::string text = text_of(name, value);
  try {
    return parse(text);
  } catch (const std::runtime_error& error) {
    refuse_argument(name, error.what());
  }
}

}  // namespace sparsecast::python
