#pragma once

#include <ostream>
#include <span>

#include "cli/commands/bench/fusion/fusion_measurement.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

/// Prints of every device and precision iterations by size, gains over the six kernels and where
/// they end, what an iteration does, Gram-Schmidt steps by basis and by size, dot products a pass,
/// and solves; then the statements.
void print_fusion_report(std::span<const FusionMeasurement> measurements, TableStyle style,
                         std::ostream& out);

}  // namespace sparsecast::cli
