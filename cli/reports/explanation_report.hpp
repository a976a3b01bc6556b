#pragma once

#include <ostream>

#include "cli/reports/table.hpp"
#include "predict/advice/explanation.hpp"

namespace sparsecast::cli {

/// For people: a table of the parts, what binds the whole, and what can be done about it.
void print_explanation(std::ostream& out, const Prediction& chosen, const Explanation& explanation,
                       TableStyle style);

}  // namespace sparsecast::cli
