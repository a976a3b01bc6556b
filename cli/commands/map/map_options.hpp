#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "core/schedule/solver.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/map/map_grid.hpp"
#include "predict/map/performance_map.hpp"

/// @file
/// What a map of one profile and a comparison of several share of the command line.

namespace sparsecast::cli {

/// --devices, or `usual`. Throws `UsageError` for numbers out of range, and for several where a
/// profile is of a CPU by the traffic model.
int devices_of_map(const CommandLine& line, std::span<const DeviceProfile> profiles, int usual);

/// That of --solver or --schedule, if it is not conjugate gradients of ours. Throws `UsageError`
/// for profiles without a traffic model, and for options beside it that are of conjugate gradients.
std::optional<Solver> solver_of_map(const CommandLine& line,
                                    std::span<const DeviceProfile> profiles);

/// --layout or --block; default csr where a profile has the traffic model, else the paper's 4 x 4
/// blocks. The grid is coarse where a place takes long to price.
MapSizes sizes_of_map(const CommandLine& line, std::span<const DeviceProfile> profiles);

/// The matrices and --points to draw. Throws `Error` for sizes that no matrix has, and as
/// `matrix_point` does.
std::vector<MapPoint> points_of_map(const CommandLine& line,
                                    std::span<const DeviceProfile> profiles, const Layout& layout);

/// Refuses, before any work, files that cannot be written, or would destroy what is read; and
/// without --json a map that goes nowhere.
void check_files_of_map(const CommandLine& line);

/// Warns of what the profile cannot say of this number of devices, precision and layout.
void warn_of_limits(const DeviceProfile& profile, int devices, Precision precision,
                    const Layout& layout, CurveKind curve);

/// Compares several profiles (`compare_profiles`) and writes what is asked for. Returns the exit
/// status. Throws `UsageError` for options that are of one profile.
int run_comparison(const CommandLine& line, const std::vector<DeviceProfile>& profiles);

}  // namespace sparsecast::cli
