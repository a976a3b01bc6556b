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

/// The same for a GPU, by `fit_cost`: a constant and stored elements; `persistent`: a constant,
/// nonzeros, rows and halos, which the host shares out. Nothing without a matrix of at least 2
/// million nonzeros, for a persistent kernel 0.3 million.
std::optional<ConversionCost> fit_gpu_conversion(std::span<const Sample> samples, bool persistent);

/// What is known of each layout in this precision, by `conversion_key`, by the one of these two
/// that is for that kind of device.
std::map<std::string, ConversionCost> fit_conversions(std::span<const Sample> samples,
                                                      Precision precision,
                                                      DeviceProfile::Kind kind);

}  // namespace sparsecast
