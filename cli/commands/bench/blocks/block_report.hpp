#pragma once

#include <ostream>
#include <span>

#include "cli/commands/bench/blocks/block_measurement.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

/// Prints of every device and precision GFlop/s of products by matrix and layout, and percent of
/// the data sheet's bandwidth and flops where those are known; iterations of the solvers with
/// overheads and the product's share; vectors; residuals; and the statements.
void print_block_report(std::span<const BlockMeasurement> measurements, TableStyle style,
                        std::ostream& out);

}  // namespace sparsecast::cli
