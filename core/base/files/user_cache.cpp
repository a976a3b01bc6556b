#include "core/base/files/user_cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>

#include "core/base/files/file_output.hpp"
#include "core/base/text/hash.hpp"

namespace sparsecast {
namespace {

/// What stands in front of the content: how long key and content are, and what they hash to.
std::string heading_of(std::string_view key, std::string_view content) {
  return hexadecimal(key.size()) + hexadecimal(hash_of(key, 1)) + hexadecimal(content.size()) +
         hexadecimal(hash_of(content, 2)) + "\n";
}

std::filesystem::path users_cache() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return cache;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::filesystem::path(home) / ".cache";
  return {};
}

/// Whether it is a folder of this user's that nobody else can write to.
bool is_private(const std::filesystem::path& folder) {
  struct stat status {};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

UserCache::UserCache(std::string_view name) {
  const std::filesystem::path cache = users_cache();
  if (!cache.empty()) folder_ = cache / "sparsecast" / name;
}

std::filesystem::path UserCache::file_of(std::string_view key) const {
  return folder_ / (hexadecimal(hash_of(key, 3)) + hexadecimal(hash_of(key, 4)));
}

std::optional<std::string> UserCache::find(std::string_view key) const {
  if (folder_.empty() || !is_private(folder_)) return std::nullopt;
  try {
    const std::filesystem::path file = file_of(key);
    if (!std::filesystem::exists(file)) return std::nullopt;
    const std::string all = read_file(file);
    const std::size_t heading = heading_of({}, {}).size();
    if (all.size() < heading) return std::nullopt;
    std::string content = all.substr(heading);
    if (all.substr(0, heading) != heading_of(key, content)) return std::nullopt;
    return content;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void UserCache::keep(std::string_view key, std::string_view content) const {
  if (folder_.empty()) return;
  try {
    std::filesystem::create_directories(folder_.parent_path());
    // Private from the beginning; one that is there stays as it is.
    if (mkdir(folder_.c_str(), S_IRWXU) != 0 && errno != EEXIST) return;
    if (!is_private(folder_)) return;
    write_file(file_of(key), heading_of(key, content) + std::string(content));
  } catch (const std::exception&) {
    // A disk that is full, or read only: it is made again next time.
  }
}

}  // namespace sparsecast
