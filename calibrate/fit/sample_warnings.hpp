#pragma once

#include <string>
#include <vector>

#include "calibrate/sample.hpp"

namespace sparsecast {

/// What a calibration suffered from: noise, throttling, other processes on the device. A sentence
/// each.
std::vector<std::string> sample_warnings(const SampleFile& file);

}  // namespace sparsecast
