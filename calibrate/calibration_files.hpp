#pragma once

#include <filesystem>

#include "calibrate/sample.hpp"
#include "model/profile/device_profile.hpp"

namespace sparsecast {

/// The files of a calibration, side by side.
struct CalibrationFiles {
  std::filesystem::path profile;  ///< NAME.json
  /// From which the profile was fitted: NAME.samples.csv, or NAME.samples.csv.gz where only that
  /// is there.
  std::filesystem::path samples;
  std::filesystem::path partial;  ///< NAME.partial.samples.csv, while it is measured
};

/// The files of a profile. Throws `Error` for a name that does not end in .json, and for one whose
/// samples would be named like another profile's partial ones.
CalibrationFiles calibration_files(const std::filesystem::path& profile);

/// Writes a profile and the samples that it was fitted from: neither takes its place before both
/// are on the disk. Without samples (null) the profile alone.
void write_calibration(const CalibrationFiles& files, const DeviceProfile& profile,
                       const SampleFile* samples);

}  // namespace sparsecast
