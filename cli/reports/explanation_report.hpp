#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/reports/table.hpp"
#include "predict/advice/explanation.hpp"

namespace sparsecast::cli {

/// For people: a table of the parts, what binds the whole, and what can be done about it.
void print_explanation(std::ostream& out, const Prediction& chosen, const Explanation& explanation,
                       TableStyle style);

/// Its advice as sentences.
std::vector<std::string> explanation_advice(const Explanation& explanation);

}  // namespace sparsecast::cli
