#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/mapping_samples.hpp"
#include "cli/matrix_source.hpp"
#include "core/base/precision.hpp"
#include "core/engine/device_list.hpp"

/// @file
/// The paper's SpMV mappings with each optimisation alone, beside our default kernels, on one GPU:
/// what its Figures 2 and 9 show.

namespace sparsecast::cli {

/// Generated matrices in the place of Table 4's: dense, dense blocks, finite elements, grids, a
/// band, random and power-law rows; and one that no cache holds.
std::vector<MatrixSource> mapping_matrices();

/// Measures all mappings and optimisations for N = 1, 2, 4 and 8, our kernels in all layouts of
/// formats that may pay, and cuSPARSE's CSR where it is installed, on a GPU or a part of it.
/// `progress(fraction, what)` hears of every measurement and says whether to go on. A case that
/// does not fit in the GPU's memory, or whose format refuses the matrix, is left out with a call of
/// `left_out`. Throws `Error` without such a GPU.
std::vector<MappingSample> measure_mappings(
    const GpuPart& place, Precision precision, std::span<const MatrixSource> sources,
    const std::function<bool(double, const std::string&)>& progress,
    const std::function<void(const std::string&)>& left_out);

}  // namespace sparsecast::cli
