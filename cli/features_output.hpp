#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/engine/iteration_count.hpp"
#include "predict/matrix_orders.hpp"

/// @file
/// Features files that `inspect` writes: --features, --for, --for-devices, --force.

namespace sparsecast::cli {

void add_features_options(CommandLine& line);

/// Refuses --for, --for-devices and --force without --features, and a file that is there already
/// without --force: throws `UsageError`.
void check_features_options(const CommandLine& line);

/// Counts what forecasts need of a matrix, `name`, and writes the file of --features whole or not
/// at all. Returns a line that says so. Without --for it is for all profiles in the folders where
/// they are looked up, but those that cannot be read, of which a warning each tells. Throws
/// `UsageError` for --for-devices that are none, `Error` for profiles of --for that cannot be read,
/// and `Interrupted` after Ctrl-C. `counts`: of iterations, for times to solution.
std::string write_features(const CommandLine& line, MatrixOrders& orders, const std::string& name,
                           std::vector<IterationCount> counts);

}  // namespace sparsecast::cli
