#pragma once

#include <optional>
#include <span>

#include "calibrate/sample.hpp"

namespace sparsecast {

/// GB/s of copying a matrix to the device, as a back end does it: the median over samples of at
/// least 8 MB; nothing without such samples.
std::optional<double> fit_upload(std::span<const Sample> samples);

}  // namespace sparsecast
