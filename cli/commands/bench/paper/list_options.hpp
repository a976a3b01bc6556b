#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

/// @file
/// Options of the benchmarks of papers that take lists.

namespace sparsecast::cli {

/// --device: "cpu" (where it is not given), GPUs, parts of them, or a list of those. Throws
/// `UsageError`.
std::vector<std::string> benched_devices(const CommandLine& line);

/// --precision: f32, f64 or both; `usual` where it is not given. Throws `UsageError`.
std::vector<Precision> benched_precisions(const CommandLine& line, const std::string& usual);

/// Numbers of --scale from 0.001 to 64; 1 where it is not given. Throws `UsageError`.
std::vector<double> benched_scales(const CommandLine& line);

}  // namespace sparsecast::cli
