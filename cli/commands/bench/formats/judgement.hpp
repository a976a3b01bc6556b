#pragma once

#include <span>
#include <vector>

#include "cli/commands/bench/formats/format_measurement.hpp"
#include "cli/commands/bench/paper/judgement.hpp"

namespace sparsecast::cli {

/// All statements, each on its devices in the order of the measurements. Those of the structured
/// set are judged at the paper's size, or the next larger one where that says nothing; what other
/// sizes say stands behind. What lacks a measurement is not comparable.
std::vector<Judgement> judge_statements(std::span<const FormatMeasurement> all);

}  // namespace sparsecast::cli
