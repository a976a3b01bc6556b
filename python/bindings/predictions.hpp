#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "predict/interval.hpp"
#include "predict/prediction.hpp"

namespace sparsecast::python {

/// "bcsr3, fused, graph on 2 x nvidia-h200: 12.3 us": a choice, for people.
std::string choice_text(const Prediction& prediction);

}  // namespace sparsecast::python
