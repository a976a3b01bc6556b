#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace sparsecast {

/// A regular file that is read in pieces, by any number of threads. Not mapped: a map of a file
/// that becomes shorter ends the program. All throw `Error` ("what; what was expected", without the
/// file's name).
class InputFile {
 public:
  /// `expected`: what the file should be, for messages: "a Matrix Market file".
  InputFile(const std::filesystem::path& path, const std::string& expected);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Bytes when it was opened.
  std::size_t size() const { return size_; }
  /// Fills `out` with the bytes from `begin` on, all of which must lie within the file. Throws if
  /// the file has become shorter.
  void read(std::size_t begin, std::span<char> out) const;
  /// Throws if somebody has written to the file since it was opened.
  void check_unchanged() const;

 private:
  int descriptor_ = -1;
  std::size_t size_ = 0;
  timespec modified_{};
};

}  // namespace sparsecast
