#pragma once

#include <cstdint>

#include "core/matrix/csr.hpp"

namespace sparsecast {

/// How a file stores a matrix: all entries, or those on and below the diagonal (below it) of one
/// that is (skew-)symmetric.
enum class StoredSymmetry { general, symmetric, skew_symmetric };

struct MatrixFileOptions {
  bool drop_explicit_zeros = false;  ///< by default stored zeros stay (as in the paper's counts)
  int threads = 0;                   ///< 0: all
};

/// A file's matrix, whatever kind of file it is: symmetric storage expanded, duplicates summed in
/// the file's order, columns rising within rows; entries of a pattern have the value 1.
struct MatrixFromFile {
  CsrMatrix<double> matrix;
  StoredSymmetry symmetry = StoredSymmetry::general;
  bool pattern = false;         ///< the file has no values
  std::int64_t duplicates = 0;  ///< stored entries that were added to an earlier one of their place
};

}  // namespace sparsecast
