#include "model/profile/profile_file.hpp"

#include <cstdlib>
#include <set>
#include <vector>

#ifdef __linux__
#include <dlfcn.h>
#endif

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "model/profile/profile_json.hpp"

namespace sparsecast {

namespace fs = std::filesystem;

namespace {

/// The profiles that were installed with this code where a library holds it, as a module of Python
/// does: in the share folder of a prefix that the library lies in. Empty where there is none.
fs::path folder_of_library() {
#ifdef __linux__
  Dl_info library{};
  std::error_code unknown;
  if (dladdr(reinterpret_cast<const void*>(&find_profile), &library) == 0) return {};
  fs::path prefix = fs::weakly_canonical(library.dli_fname, unknown);
  if (unknown) return {};
  while (prefix.has_relative_path()) {
    prefix = prefix.parent_path();
    fs::path folder = prefix / SPARSECAST_PROFILES_FROM_PREFIX;
    if (fs::is_directory(folder, unknown)) return folder;
  }
#endif
  return {};
}

/// $SPARSECAST_PROFILES; empty where it is not set.
fs::path folder_of_user() {
  const char* folder = std::getenv("SPARSECAST_PROFILES");
  return folder == nullptr ? "" : folder;
}

/// Where profiles are looked up by name, the first folder first.
std::vector<fs::path> profile_folders() {
  std::vector<fs::path> folders;
  if (const fs::path folder = folder_of_user(); !folder.empty()) folders.push_back(folder);
  // An installed program finds what was installed with it, wherever the prefix was moved.
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  if (!unknown) {
    const fs::path beside = program.parent_path() / SPARSECAST_PROFILES_FROM_PROGRAM;
    if (fs::is_directory(beside, unknown)) folders.push_back(beside.lexically_normal());
  }
  if (const fs::path folder = folder_of_library(); !folder.empty()) folders.push_back(folder);
  folders.emplace_back(SPARSECAST_SOURCE_PROFILES);
  folders.emplace_back(SPARSECAST_INSTALLED_PROFILES);
  return folders;
}

/// Other files of JSON may lie in a user's folder: features, schedules, forecasts. Those that
/// cannot be read say why when they are asked for.
bool may_be_profile(const fs::path& path) {
  try {
    return read_file(path).find("\"precisions\"") != std::string::npos;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

std::vector<std::string> profile_names() {
  std::set<std::string> names;
  for (const fs::path& folder : profile_folders()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() != ".json") continue;
      if (may_be_profile(entry.path())) names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

std::optional<fs::path> find_beside_profiles(const std::string& file_name) {
  for (const fs::path& folder : profile_folders()) {
    fs::path candidate = folder / file_name;
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  return std::nullopt;
}

std::vector<std::string> names_beside_profiles(std::string_view ending) {
  std::set<std::string> names;
  for (const fs::path& folder : profile_folders()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      std::string name = entry.path().filename().string();
      if (name.ends_with(ending)) names.insert(std::move(name));
    }
  }
  return {names.begin(), names.end()};
}

std::string profile_folder_warning() {
  const fs::path folder = folder_of_user();
  std::error_code unknown;
  if (folder.empty() || fs::is_directory(folder, unknown)) return "";
  return "SPARSECAST_PROFILES: there is no folder " + folder.string() +
         "; profiles are looked up without it";
}

fs::path find_profile(const std::string& name_or_path) {
  const bool is_path =
      name_or_path.find('/') != std::string::npos || fs::path(name_or_path).extension() == ".json";
  if (is_path) return name_or_path;

  if (const auto found = find_beside_profiles(name_or_path + ".json")) return *found;
  std::string searched;
  for (const fs::path& folder : profile_folders()) {
    searched += (searched.empty() ? "" : ", ") + folder.string();
  }
  std::string names;
  for (const std::string& name : profile_names()) names += (names.empty() ? "" : ", ") + name;
  throw Error("no profile '" + name_or_path + "' in " + searched + "; known are " +
              (names.empty() ? "none" : names) + ", or give the path of a .json file");
}

DeviceProfile read_profile(const std::string& name_or_path) {
  const fs::path path = find_profile(name_or_path);
  return parse_profile(read_file(path), path.stem().string(), path.string());
}

void write_profile(const fs::path& path, const DeviceProfile& profile) {
  write_file(path, profile_to_json(profile));
}

}  // namespace sparsecast
