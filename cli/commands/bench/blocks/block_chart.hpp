#pragma once

#include <filesystem>
#include <span>

#include "cli/commands/bench/blocks/block_measurement.hpp"

namespace sparsecast::cli {

/// Draws GFlop/s of nonzeros by mesh, as Buatois, Caumon and Levy's figures do: for each device,
/// precision and problem a panel of products with a bar a layout, and one of iterations of
/// Jacobi-CG with a bar a solver. Meshes are in the first order that was measured. Throws as
/// `draw_bars` does.
void draw_blocks(const std::filesystem::path& file, std::span<const BlockMeasurement> measurements);

}  // namespace sparsecast::cli
