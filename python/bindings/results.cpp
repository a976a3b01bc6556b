#include "python/bindings/results.hpp"

namespace sparsecast::python {

py::object from_json(const std::string& json) {
  return py::module_::import("json").attr("loads")(json);
}

}  // namespace sparsecast::python
