#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sparsecast {

/// Files that the program can make again, in a folder of the user's cache ($XDG_CACHE_HOME, else
/// ~/.cache) that nobody else can write to. Where there is no such folder nothing is kept: no
/// function here throws.
class UserCache {
 public:
  /// The folder "sparsecast/NAME", which is made when something is kept.
  explicit UserCache(std::string_view name);

  /// What was kept for this key, whole.
  std::optional<std::string> find(std::string_view key) const;

  /// Keeps content for a key, in place of an older one. Other programs see it whole or not at all.
  void keep(std::string_view key, std::string_view content) const;

 private:
  std::filesystem::path file_of(std::string_view key) const;

  std::filesystem::path folder_;  ///< empty: none
};

}  // namespace sparsecast
