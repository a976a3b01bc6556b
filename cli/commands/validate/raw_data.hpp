#pragma once

#include <cstddef>
#include <string>

#include "cli/command.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/validation/data/validation_data.hpp"

namespace sparsecast::cli {

/// Whether what is written to the file that --csv names stays and can be read back.
bool keeps_raw_data(const CommandLine& line);

/// Raw data of an earlier run is not lost without --force: throws `UsageError`.
void refuse_to_overwrite(const CommandLine& line);

/// Prices measured rows as --model and --curve say, and says by what. Throws `UsageError` for
/// models and curves that there are not.
void price(ValidationData& data, const DeviceProfile& profile, const CommandLine& line);

/// Trains a plain regression on the samples that --regression names, if any, and adds its
/// forecasts. Throws `Error` for what is no file of samples, and where they are of another device.
void add_regression(ValidationData& data, const CommandLine& line);

/// To the file that --csv names, if it is given.
void write_raw_data(const ValidationData& data, const CommandLine& line);

/// The raw data of --from, priced again where a profile is given.
ValidationData read_runs(const CommandLine& line);

/// What an interrupted validation keeps, and how to go on.
std::string interrupted_text(const CommandLine& line, std::size_t cases);

}  // namespace sparsecast::cli
