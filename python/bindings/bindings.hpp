#pragma once

#include <pybind11/pybind11.h>

/// @file
/// What each file of this room adds to the module. Named functions get their defaults and their
/// documentation in the package (python/sparsecast/); classes have theirs here.

namespace sparsecast::python {

namespace py = pybind11;

void bind_profile(py::module_& module);
void bind_schedule(py::module_& module);
void bind_matrix(py::module_& module);
void bind_features(py::module_& module);
void bind_counting(py::module_& module);
void bind_predictions(py::module_& module);
void bind_advice(py::module_& module);
void bind_maps(py::module_& module);
void bind_solve(py::module_& module);
void bind_calibration(py::module_& module);
void bind_validation(py::module_& module);

}  // namespace sparsecast::python
