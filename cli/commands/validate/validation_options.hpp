#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/engine/device_list.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/validation/validation_run.hpp"

namespace sparsecast::cli {

/// Throws `UsageError` for options of one process, and where nobody says what ranks of mpirun cost
/// each other: the profile does of GPUs that reach each other's memory, else --network.
void require_options_of_ranks(const CommandLine& line);

/// The profile of --profile, joined by --network where it is given, with as many ranks a host as
/// this run has. Throws `UsageError` for a network that the profile's model does not know. All
/// ranks call it.
DeviceProfile profile_of(const CommandLine& line);

/// The GPU of "cuda:0", or the part of "cuda:0/32". Throws `UsageError` for what is neither.
GpuPart gpu_of(const std::string& device);

/// That of --device; the CPU unless told.
std::string device_of(const CommandLine& line);

/// Those that --solver names, and --schedule as files (NAME.json), with --restart and --set.
OwnSolvers own_solvers(const CommandLine& line);

/// What to measure: solvers, layouts, numbers of devices (of ranks: their number) and precisions,
/// by default those of the profile. `device`: that of --device, or this rank's. Throws `UsageError`
/// for what does not go together, the profile with what runs here among that, `Error` for a GPU
/// that is not there.
ValidationRequest make_request(const CommandLine& line, const DeviceProfile& profile,
                               const std::string& device);

}  // namespace sparsecast::cli
