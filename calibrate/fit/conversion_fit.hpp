#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "calibrate/sample.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// Two unknowns a, b >= 0 with a * nonzeros + b * elements = seconds, relative least squares over
/// samples of at least a millisecond; nothing without such samples.
std::optional<ConversionCost> fit_conversion(std::span<const Sample> samples);

/// The same for a GPU, whose conversions take less than a millisecond but now and then wait for
/// memory: the median time of a stored element over matrices of at least 2 million nonzeros;
/// nothing without such samples.
std::optional<ConversionCost> typical_conversion(std::span<const Sample> samples);

/// What is known of the cost of each layout in this precision, by the one of these two that is for
/// that kind of device.
std::map<std::string, ConversionCost> fit_conversions(std::span<const Sample> samples,
                                                      Precision precision,
                                                      DeviceProfile::Kind kind);

}  // namespace sparsecast
