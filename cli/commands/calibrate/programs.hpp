#pragma once

#include "cli/command.hpp"

namespace sparsecast::cli {

/// What `sparsecast calibrate` can be asked to do, each with its options parsed and returning the
/// exit status. Each is a file of this folder, and throws `UsageError` for values that make no
/// sense, `Interrupted` when it is, and `Error` for what fails.

/// Measures a device, or goes on with it, and writes its samples and profile.
int measure_device(const CommandLine& line);

/// Measures the links of several GPUs, adds them to the samples of one, and fits the profile again.
int measure_links(const CommandLine& line);

/// Measures what ranks of mpirun cost each other, and writes a network and its samples.
int measure_network(const CommandLine& line);

/// Fits such samples again.
int refit_network(const CommandLine& line);

/// Fits samples again.
int refit(const CommandLine& line);

/// Fits samples again without each family of matrices in turn, and says how well it is forecast.
int leave_families_out(const CommandLine& line);

/// Measures whether a device still behaves as its profile says; 1 if not.
int check_device(const CommandLine& line);

/// Compares two profiles of one device; 1 if they differ.
int compare_calibrations(const CommandLine& line);

/// Writes the profile of a GPU that nobody has measured, by equations 4 and 5.
int estimate_device(const CommandLine& line);

/// Writes the profile of a GPU that nobody has measured, from that of a relative by data sheets.
int estimate_relative(const CommandLine& line);

}  // namespace sparsecast::cli
