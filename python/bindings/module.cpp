#include <pybind11/pybind11.h>

#include <cstring>

#include "core/base/error.hpp"
#include "core/engine/solve_options.hpp"
#include "predict/advice/advice.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/matrix.hpp"

namespace sparsecast::python {
namespace {

/// The defaults of the C++ types that signatures of the package show.
py::dict defaults() {
  py::dict all;
  all["min_efficiency"] = AdviceRequest{}.min_efficiency;
  all["rtol"] = StopRule{}.tolerance;
  return all;
}

/// The text as Python's: control characters, and bytes that are not UTF-8, as \xNN. Names of files
/// and texts of profiles come from anywhere, and a terminal could take them for commands.
py::str printable_text(const char* text) {
  const auto decoded = py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text, static_cast<py::ssize_t>(std::strlen(text)), "backslashreplace"));
  py::list characters;
  for (const py::handle character : decoded) {
    // What Python calls printable has all letters and signs, and of white space the blank.
    const bool printable = character.attr("isprintable")().cast<bool>();
    characters.append(printable ? py::reinterpret_borrow<py::object>(character)
                                : character.attr("encode")("unicode_escape").attr("decode")());
  }
  return py::str("").attr("join")(characters);
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of sparsecast; use the package.";
  static const py::exception<Error> error(module, "Error", PyExc_RuntimeError);
  py::setattr(error, "__module__", py::str("sparsecast"));
  py::setattr(error, "__doc__", py::str(R"(
What sparsecast refuses, and why: one line that says what to do.

>>> sparsecast.features(([0, 1], [3], [1.0]))
Traceback (most recent call last):
    ...
sparsecast.Error: CSR matrix: row 0: column index 3 lies outside; expected 0 to 0
)"));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& refused) {
      PyErr_SetObject(error.ptr(), printable_text(refused.what()).ptr());
    }
  });
  module.attr("version") = SPARSECAST_VERSION;
  module.attr("defaults") = defaults();
  bind_profile(module);
  bind_schedule(module);
  bind_matrix(module);
  bind_features(module);
  bind_counting(module);
  bind_predictions(module);
  bind_advice(module);
  bind_maps(module);
  bind_solve(module);
  bind_calibration(module);
  bind_validation(module);
}

}  // namespace sparsecast::python
