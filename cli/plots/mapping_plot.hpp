#pragma once

#include <filesystem>
#include <span>

#include "cli/mapping_samples.hpp"

namespace sparsecast::cli {

/// Figure 2: raw performance of each mapping and optimisation (T = 256, Bx = 1), and of our kernels
/// in CSR, blocks and the formats that may pay, a panel a block size and precision. Throws as
/// `draw_bars` does.
void draw_mappings(const std::filesystem::path& file, std::span<const MappingSample> samples);

/// Figure 9: effective performance of multiple block-row mapping with sorted and reordered blocks
/// for each block size, the best of them over T and Bx, our kernels in CSR, in the formats that may
/// pay and in the best layout, and cuSPARSE, a panel a precision. Throws likewise.
void draw_block_sizes(const std::filesystem::path& file, std::span<const MappingSample> samples);

}  // namespace sparsecast::cli
