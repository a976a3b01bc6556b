#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace sparsecast {

/// How other processes find the new file of an `OutputFile`, and know that it is the very same.
struct SharedName {
  std::string path;   ///< empty where the file is not shared
  std::string token;  ///< random, and all that is in the file until they have found it
};

/// The new file of an `OutputFile` that this process, or another one on this host or on one that
/// shares the file system, has opened: to write to it beside others, each at its own place.
class SharedOutput {
 public:
  /// Opens it, where this process sees that very file and may write to it.
  explicit SharedOutput(const SharedName& name);
  ~SharedOutput();
  SharedOutput(const SharedOutput&) = delete;
  SharedOutput& operator=(const SharedOutput&) = delete;

  bool found() const { return descriptor_ >= 0; }
  /// Writes all of it from byte `begin` on; it is on the disk then. Throws `Error` with `path` and
  /// the system's reason.
  void write(std::int64_t begin, std::string_view content, const std::filesystem::path& path) const;

 private:
  int descriptor_ = -1;
};

}  // namespace sparsecast
