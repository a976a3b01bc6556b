#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "predict/interval.hpp"
#include "predict/prediction.hpp"

namespace sparsecast::python {

/// "bcsr3, fused, graph on 2 x nvidia-h200: 12.3 us": a choice, for people.
std::string choice_text(const Prediction& prediction);

/// Warns on the line of the caller's caller; nothing for an empty text. What a user's filter makes
/// of the warning may raise.
void warn_in_python(const std::string& text);

}  // namespace sparsecast::python
