#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sparsecast {

/// A file that appears whole or not at all: written piece by piece to a temporary name in the same
/// folder, then renamed over `path`. Without `commit` nothing remains of it. All throw `Error` with
/// the path and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view content);
  void commit();

 private:
  std::filesystem::path path_;
  std::string temporary_;
  int descriptor_ = -1;
};

/// Writes a whole file as an `AtomicFile`.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Whole content of a file. Throws `Error` with the path and the system's reason.
std::string read_file(const std::filesystem::path& path);

}  // namespace sparsecast
