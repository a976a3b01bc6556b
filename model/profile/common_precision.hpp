#pragma once

#include <span>

#include "core/base/precision.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// What forecasts of several profiles are compared in unless told: f64 if all have it, else f32 if
/// all have that. Throws `Error` where they have none in common.
Precision common_precision(std::span<const DeviceProfile> profiles);

}  // namespace sparsecast
