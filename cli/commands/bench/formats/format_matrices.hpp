#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/matrix/csr.hpp"

/// @file
/// The matrices that Bell and Garland measured (2008, Tables 3 and 4).

namespace sparsecast::cli {

/// A matrix that is made when its turn comes, so that only one is in memory.
struct FormatMatrix {
  std::string set;     ///< "structured", "unstructured"
  std::string name;    ///< as printed
  std::string source;  ///< "generated", "stand-in", or the name of a file
  double scale = 1;    ///< rows over the paper's, nearly
  bool full = false;   ///< every entry is stored
  std::function<CsrMatrix<double>()> make;
};

/// The names of the structured set, by rising nonzeros a row.
const std::vector<std::string>& structured_names();

/// Table 3: stencils on grids of 10^6 points times `scale`, as nearly as grids of equal sides come.
/// At 1 exactly those of the table. `threads` as everywhere: 0: all.
std::vector<FormatMatrix> structured_matrices(double scale, int threads);

/// Table 4 and the dense 30000 x 128 matrix of section 5.2.1: stand-ins, or where `folder` (empty:
/// none) has it as NAME.mtx or NAME.mtx.gz by its name in the SuiteSparse collection, the matrix
/// itself. LP is there rail4284, less the slack columns; QCD is complex there, and always a
/// stand-in.
std::vector<FormatMatrix> unstructured_matrices(const std::string& folder, int threads);

/// A matrix without its slack columns, one for each row with one entry, which are the last or the
/// first of its columns; as it is if it has none.
CsrMatrix<double> without_slack_columns(CsrMatrix<double> matrix);

}  // namespace sparsecast::cli
