#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// The file of a profile. `name_or_path` is a path (it has a '/' or ends in .json), or the name of
/// a shipped profile ("gtx280"), looked up in the folder $SPARSECAST_PROFILES, in the share folder
/// of a prefix that the running program or the library with this code lies in, beside the sources
/// and in the share folder that the build was configured for. Throws `Error` with the names there
/// are for one that there is not.
std::filesystem::path find_profile(const std::string& name_or_path);

/// What to mind of $SPARSECAST_PROFILES, a sentence: it names no folder. Empty where it names one,
/// or is not set.
std::string profile_folder_warning();

/// The names of the profiles in these folders, sorted.
std::vector<std::string> profile_names();

/// Of files that lie where profiles are looked up by name: one with this name, in the first folder
/// that has it, and the names of those that end so, sorted.
std::optional<std::filesystem::path> find_beside_profiles(const std::string& file_name);
std::vector<std::string> names_beside_profiles(std::string_view ending);

/// Reads the profile in that file. Throws `Error` like `parse_profile`.
DeviceProfile read_profile(const std::string& name_or_path);

/// Writes the file whole or not at all. Throws `Error` for a profile that could not be read back.
void write_profile(const std::filesystem::path& path, const DeviceProfile& profile);

}  // namespace sparsecast
