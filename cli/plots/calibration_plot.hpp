#pragma once

#include <filesystem>

#include "calibrate/fit/profile_fit.hpp"
#include "calibrate/sample.hpp"

namespace sparsecast::cli {

/// Draws samples and fitted curves in one precision, throughput in GB/s over transferred elements,
/// as Figures 5 to 7 of the paper: loads, vector kernels, and SpMV in one panel for each layout.
void plot_calibration(const std::filesystem::path& file, const SampleFile& samples,
                      const ProfileFit& fit, Precision precision);

}  // namespace sparsecast::cli
