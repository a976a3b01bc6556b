#pragma once

#include <filesystem>

#include "calibrate/sample.hpp"
#include "cli/command.hpp"
#include "cli/commands/calibrate/calibration_files.hpp"

namespace sparsecast::cli {

/// Fits the samples, writes the profile, plots and prints. The samples are written where they are
/// `new_samples`; once they are, nobody needs what is at `partial` any more.
void write_fitted(const CommandLine& line, const SampleFile& file, const CalibrationFiles& files,
                  const SampleFile* new_samples, const std::filesystem::path& partial = {});

}  // namespace sparsecast::cli
