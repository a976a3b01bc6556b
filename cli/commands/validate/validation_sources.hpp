#pragma once

#include <vector>

#include "cli/command.hpp"
#include "cli/matrix_files.hpp"
#include "predict/validation/validation_supply.hpp"

namespace sparsecast::cli {

/// The matrices to measure, the generated ones of --generated (--families, --seed, --largest) and
/// those files in the orders of
/// --renumber, for these numbers of devices. Throws `UsageError` for options that make no sense.
std::vector<ValidationSource> make_sources(const CommandLine& line,
                                           const std::vector<MatrixFile>& files,
                                           const std::vector<int>& devices);

/// The order in which matrices are made ahead: those that take long first, the others mixed, so
/// that an interrupted validation has some of every kind; those of --families unrelated as they
/// are, files among them.
void mix(std::vector<ValidationSource>& sources, const CommandLine& line);

}  // namespace sparsecast::cli
