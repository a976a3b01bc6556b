#pragma once

#include <string>

#include "model/estimate/data_sheet.hpp"
#include "model/estimate/device_sheet.hpp"
#include "model/profile/device_profile.hpp"

/// @file
/// The profile of a GPU that nobody has measured, from that of a relative that was calibrated and
/// from the data sheets of both (docs/model.md, "Like another GPU").

namespace sparsecast {

/// Throws `Error` in one line where a profile is no relative: of a CPU, without a traffic model, an
/// estimate itself, or measured in part.
void require_relative(const DeviceProfile& relative);

/// The data sheet of a profile's GPU. Throws `Error` like `require_relative`, and where no data
/// sheet of its GPU is known or it was measured on a part of one.
const DataSheet& data_sheet_of_relative(const DeviceProfile& relative);

/// The relative's profile with every constant scaled by the ratio of the numbers that it follows
/// (`Scaling`), within its bounds; residuals are kept, and so are host and launches. Rates of links
/// follow those of the data sheets, but through the host's memory; without a link there is one
/// device. Intervals are wider by `transfer_spread`. A GPU without clusters keeps nothing of them.
/// Throws `Error` like `data_sheet_of_relative`, and where a number of `gpu` makes no sense.
DeviceProfile relative_profile(const DeviceProfile& relative, const DataSheet& gpu,
                               const std::string& name);

/// The same of a GPU that is here, by what its driver says and said of the relative's: where the
/// fit of its device constants begins (`calibrate/fit/relative_fit.hpp`). The profile's name is
/// that of `gpu`. Throws `Error` like `require_relative` and `device_sheet`.
DeviceProfile relative_of_device(const DeviceProfile& relative, const DescribedDevice& gpu);

}  // namespace sparsecast
