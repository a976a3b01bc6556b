#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/files/shared_output.hpp"

namespace sparsecast {

/// Does a path lead to standard output: `-`, or the file or pipe that it is?
bool is_standard_output(const std::filesystem::path& path);

/// A file of results. Where it goes is decided by what `path` is now:
/// - a regular file, or nothing yet: the content replaces it whole at `commit`, and nothing of it
///   remains without; links are followed, and mode, owner and hard links stay as they were;
/// - a pipe, a terminal or another device: it is written to as it stands, piece by piece;
/// - standard output, or the file that is standard error: that.
/// All throw `Error` with the path and the system's reason.
class OutputFile {
 public:
  /// Opens it. A pipe that nobody reads is waited for, five seconds.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view content);
  /// Puts the content in its place.
  void commit();

  /// Lets other processes write to a new file, by `SharedOutput`, while this one has it open; not
  /// to what is written to as it stands, or copied. Nothing has been written before, and nothing is
  /// until `clear`, when all have found the file.
  SharedName share();
  /// Empties a new file.
  void clear();

  /// Several files that belong together: all are on the disk before the first one takes its place,
  /// and no Ctrl-C comes between them.
  static void commit_together(std::span<OutputFile* const> files);

 private:
  enum class Kind {
    direct,   ///< written to as it stands
    renamed,  ///< a new file beside the old one, which takes its place
    copied    ///< a new file whose content is copied into the old one
  };
  void open_beside(const std::filesystem::path& folder);
  void finish_writing();
  void take_place();
  [[noreturn]] void fail(const std::string& what, int error_number) const;

  std::filesystem::path path_;    ///< as it was given, for messages
  std::filesystem::path target_;  ///< links followed
  Kind kind_ = Kind::direct;
  std::string temporary_;  ///< the new file's name; empty while it has none
  int descriptor_ = -1;
  bool replaces_ = false;  ///< there is a file; its mode and owner:
  mode_t mode_ = 0;
  uid_t user_ = 0;
  gid_t group_ = 0;
};

/// Writes all of it to an open file; `path` names it in errors. That nobody reads a pipe any more
/// is an error, not a signal.
void write_all(int descriptor, std::string_view content, const std::filesystem::path& path);

/// Writes a whole file as an `OutputFile`.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Throws what `OutputFile` would throw when it cannot be written; leaves nothing behind. Before
/// long work, so that its result is not lost. A named pipe stays open from here on, so that its
/// reader waits.
void check_can_write(const std::filesystem::path& path);

/// The most that `read_file` takes.
inline constexpr std::size_t largest_read_file = std::size_t{1} << 30;

/// Whole content of a regular file or a pipe. Throws `Error` with the path and the system's reason,
/// for folders and devices, and for more than `largest` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t largest = largest_read_file);

}  // namespace sparsecast
