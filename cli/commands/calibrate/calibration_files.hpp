#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "calibrate/sample.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast::cli {

/// The files of a calibration, side by side.
struct CalibrationFiles {
  std::filesystem::path profile;  ///< NAME.json
  /// From which the profile was fitted: NAME.samples.csv, or NAME.samples.csv.gz where only that
  /// is there.
  std::filesystem::path samples;
  std::filesystem::path partial;  ///< NAME.partial.samples.csv, while it is measured
};

/// The files of a profile. Throws `UsageError` for a name that does not end in .json.
CalibrationFiles calibration_files(const std::filesystem::path& profile);

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

/// Writes a profile and the samples that it was fitted from: neither takes its place before both
/// are on the disk. Without samples (null) the profile alone.
void write_calibration(const CalibrationFiles& files, const DeviceProfile& profile,
                       const SampleFile* samples);

}  // namespace sparsecast::cli
