#include "core/matrix/files/petsc/petsc.hpp"

#include <utility>

#include "core/matrix/files/assembly.hpp"
#include "core/matrix/files/petsc/petsc_matrix.hpp"

namespace sparsecast {

MatrixFromFile parse_petsc(const ByteSource& file, const MatrixFileOptions& options) {
  PetscMatrix stored(file);
  CsrMatrix<double> matrix;
  matrix.rows = stored.rows();
  matrix.columns = stored.columns();
  matrix.row_offsets = stored.offsets(0, stored.rows());
  const std::int64_t entries = matrix.row_offsets.back();
  stored.set_entries(entries);
  matrix.column_indices.resize(entries);
  matrix.values.resize(entries);
  stored.read(0, matrix.column_indices, matrix.values, options.threads);
  auto [assembled, duplicates] = assemble_rows(std::move(matrix), options);
  return {std::move(assembled), StoredSymmetry::general, false, duplicates};
}

}  // namespace sparsecast
