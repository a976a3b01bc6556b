#pragma once

#include <ostream>
#include <span>
#include <vector>

#include "cli/commands/bench/formats/format_measurement.hpp"
#include "cli/commands/bench/formats/judgement.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

/// Prints of every device and precision GFlop/s, GB/s and percent of the data sheet's bandwidth by
/// matrix and layout; bytes per flop beside the paper's; and the statements.
void print_format_report(std::span<const FormatMeasurement> measurements, TableStyle style,
                         std::ostream& out);

}  // namespace sparsecast::cli
