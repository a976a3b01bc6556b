#pragma once

#include <string>
#include <string_view>

#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// The schema version that this program writes and reads.
inline constexpr int profile_schema_version = 1;

/// A profile from JSON; `name` becomes the profile's name, `source` stands for the file in messages
/// (empty: the name). Throws `Error` with file and reason: damaged JSON (line and column), missing,
/// unknown or wrong fields (their path), unknown schema version, numbers that make no sense.
DeviceProfile parse_profile(std::string_view json_text, const std::string& name,
                            const std::string& source = "");

/// The inverse. Throws `Error` for a profile that could not be read back.
std::string profile_to_json(const DeviceProfile& profile);

}  // namespace sparsecast
