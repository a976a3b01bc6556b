#pragma once

#include <span>
#include <string>

#include "calibrate/fit/profile_fit.hpp"
#include "calibrate/sample.hpp"

namespace sparsecast::cli {

/// What a calibration found, as a page for a browser: fitted beside measured times, the residuals
/// of the fits, and their parameters. `command`: its words.
std::string calibration_page(const SampleFile& samples, const ProfileFit& fit,
                             std::span<const std::string> command);

}  // namespace sparsecast::cli
