#pragma once

#include <string>

#include "model/profile/device_profile.hpp"
#include "predict/prediction.hpp"

/// @file
/// Profiles by name, for people, with a mark behind those whose device nobody has measured:
/// "nvidia-h200", "h100-pcie (estimated)".

namespace sparsecast {

std::string marked_name(const std::string& profile, bool estimated);
std::string marked_name(const DeviceProfile& profile);
/// That of its profile.
std::string marked_name(const Prediction& prediction);

}  // namespace sparsecast
