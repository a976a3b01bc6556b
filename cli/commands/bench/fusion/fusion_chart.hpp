#pragma once

#include <filesystem>
#include <span>

#include "cli/commands/bench/fusion/fusion_measurement.hpp"

namespace sparsecast::cli {

/// Draws of each device and precision how many times as fast iterations are as those of the six
/// kernels, by unknowns, and fused Gram-Schmidt steps as single ones, by the basis. Throws as
/// `draw_bars` does.
void draw_fusion(const std::filesystem::path& file,
                 std::span<const FusionMeasurement> measurements);

}  // namespace sparsecast::cli
