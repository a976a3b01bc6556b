#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/workload/layout.hpp"
#include "predict/prediction.hpp"

/// @file
/// What is to be minded of forecasts, for people.

namespace sparsecast {

/// "cg in csr: TEXT": a warning that is of a forecast's solver and layout alone.
std::string warning_of(const std::string& schedule, const Layout& layout, const std::string& text);

/// The warnings of these forecasts, a line a text, in the order of their first: what is of solvers
/// and layouts begins with all that it is of, as "cg, minres in csr, bcsr3; gmres in csr: TEXT".
/// Where the forecasts are of several profiles, a line names its own.
std::vector<std::string> warning_lines(std::span<const Prediction> predictions);

}  // namespace sparsecast
