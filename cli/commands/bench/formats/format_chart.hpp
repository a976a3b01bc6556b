#pragma once

#include <filesystem>
#include <span>

#include "cli/commands/bench/formats/format_measurement.hpp"

namespace sparsecast::cli {

/// Draws GFlop/s of every matrix and layout, as Bell and Garland's figures do: a panel for each
/// device, set of matrices and precision. The vector comes through the L1
/// cache. Throws as `draw_bars` does.
void draw_formats(const std::filesystem::path& file,
                  std::span<const FormatMeasurement> measurements);

}  // namespace sparsecast::cli
