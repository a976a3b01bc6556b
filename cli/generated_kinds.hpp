#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/generate/grid_stencil.hpp"

/// @file
/// The matrices that `sparsecast generate` writes, and that a command has without a file.

namespace sparsecast::cli {

/// The kinds of them, by name.
std::vector<std::string> generated_kinds();

/// A line or more of help on each kind.
const std::string& generated_kinds_help();

/// Adds KIND, and NAME of table4, as positional arguments, and the options of all kinds.
void add_generated_kinds(CommandLine& line);

/// Throws `UsageError` for a kind that there is not, and for options of other kinds.
void check_generated(const CommandLine& line);

/// A matrix and how its file stores it.
struct Generated {
  CsrMatrix<double> matrix;
  MatrixMarketWriteOptions storage;
};

/// Makes the matrix of a line that `check_generated` has passed. Throws `UsageError` for values
/// that make none, `Error` for what is wrong with a file to renumber.
Generated generate(const CommandLine& line);

/// The same matrix by rows, of the kinds that are made so: throws `UsageError` that names them for
/// others.
GridStencil generated_rows(const CommandLine& line);

}  // namespace sparsecast::cli
