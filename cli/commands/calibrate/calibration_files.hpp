#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "calibrate/calibration_files.hpp"
#include "calibrate/sample.hpp"

namespace sparsecast::cli {

/// `calibration_files` of --out, with what it refuses as a `UsageError`.
CalibrationFiles files_of_out(const std::filesystem::path& profile);

/// The profile that a samples file is for unless told: NAME.json of
/// NAME.samples.csv and of NAME.samples.csv.gz.
std::filesystem::path profile_path_of(const std::filesystem::path& samples);

/// Throws `UsageError` for a file that is there and would be overwritten without --force.
void refuse_to_overwrite(const std::filesystem::path& path);

/// The same for an unfinished calibration, which --resume goes on with.
void refuse_to_discard(const std::filesystem::path& partial);

/// What an unfinished calibration measured so far: its partial samples. Throws `Error` where there
/// is none, and where it is of another device or plan.
SampleFile read_unfinished(const CalibrationFiles& files, const std::string& device,
                           const std::string& plan);

}  // namespace sparsecast::cli
