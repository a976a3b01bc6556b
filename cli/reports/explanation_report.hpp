#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

#include "predict/explanation.hpp"

namespace sparsecast::cli {

/// For people: a table of the parts, what binds the whole, and what can be done about it.
void print_explanation(std::ostream& out, const Prediction& chosen, const Explanation& explanation);

/// The same as an object.
nlohmann::ordered_json explanation_json(const Explanation& explanation);

}  // namespace sparsecast::cli
