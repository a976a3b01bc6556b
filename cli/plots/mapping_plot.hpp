#pragma once

#include <filesystem>
#include <span>

#include "cli/mapping_samples.hpp"

namespace sparsecast::cli {

/// Figure 2: raw performance of each mapping and optimisation (T = 256, Bx = 1), a panel a block
/// size and precision. Throws as `draw_with_gnuplot` does, and when none is to be drawn.
void draw_mappings(const std::filesystem::path& file, std::span<const MappingSample> samples);

/// Figure 9: effective performance of multiple block-row mapping with sorted and reordered blocks
/// for each block size, the best of them over T and Bx, our default kernels and cuSPARSE, a panel a
/// precision. Throws likewise.
void draw_block_sizes(const std::filesystem::path& file, std::span<const MappingSample> samples);

}  // namespace sparsecast::cli
