#pragma once

#include <vector>

#include "core/base/files/byte_source.hpp"
#include "core/matrix/files/petsc/petsc_matrix.hpp"
#include "core/matrix/files/stored_entries.hpp"

namespace sparsecast {

/// One of several parts of a file of PETSc's binary format: as many rows as the others. As
/// `MatrixFilePart` says, but for the file's name.
class PetscPart {
 public:
  /// Reads the header.
  PetscPart(const ByteSource& file, int part, int parts, int threads);

  const StoredShape& shape() const { return shape_; }
  /// Reads the lengths of the part's rows.
  PartCount count();
  std::vector<EntryChunk> take(const PartCount& before, const PartCount& all);

 private:
  PetscMatrix matrix_;
  int threads_ = 0;
  StoredShape shape_;
  std::int64_t first_row_ = 0;
  std::int64_t end_row_ = 0;
  Buffer<std::int64_t> offsets_;  ///< of the part's rows
};

}  // namespace sparsecast
