#pragma once

#include <cstdlib>
#include <filesystem>

#include "cli/temporary_folder.hpp"

namespace sparsecast::testing {

/// An empty cache in the place of the user's, as long as one of these lives.
class OwnUserCache {
 public:
  OwnUserCache() { setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  ~OwnUserCache() { unsetenv("XDG_CACHE_HOME"); }
  OwnUserCache(const OwnUserCache&) = delete;
  OwnUserCache& operator=(const OwnUserCache&) = delete;

  const std::filesystem::path& path() const { return folder_.path(); }
  /// What `UserCache("kernels")` keeps.
  std::filesystem::path kernels() const { return path() / "sparsecast" / "kernels"; }

 private:
  TemporaryFolder folder_;
};

}  // namespace sparsecast::testing
