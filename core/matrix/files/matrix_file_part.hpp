#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/matrix/files/stored_entries.hpp"

namespace sparsecast {

/// One of several parts of a matrix file, each of which another process reads. What is refused, and
/// what memory a part takes, is as for the whole file.
class MatrixFilePart {
 public:
  virtual ~MatrixFilePart() = default;

  virtual const StoredShape& shape() const = 0;
  /// What the part holds; reads what that takes. Throws like `take`.
  virtual PartCount count() = 0;
  /// The same for two files only if they are of one size, begin alike and end alike.
  virtual std::uint64_t identity() const = 0;

  /// The entries, once. `before`: what all parts before this one hold together; `all`: what all
  /// parts do. Throws `Error` with the place in the file for the first thing in this part that is
  /// wrong; parts before it may hold an earlier one.
  virtual std::vector<EntryChunk> take(const PartCount& before, const PartCount& all) = 0;
};

/// Opens the file, and reads what there is to know of part `part` of `parts`, on `threads` threads
/// (0: all): of Matrix Market in coordinate format, plain, compressed or in a tar archive, and of
/// PETSc's binary format. Throws `Error` as for the whole file, and for what is not read in parts.
///
/// In what is compressed, or in an archive, nobody can look for a place: every part reads all that
/// comes before its end, and keeps none of it but its own entries.
std::unique_ptr<MatrixFilePart> open_matrix_part(const std::filesystem::path& path, int part,
                                                 int parts, int threads);

}  // namespace sparsecast
