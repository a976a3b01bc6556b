#pragma once

#include <string>

#include "calibrate/fit/profile_fit.hpp"
#include "calibrate/sample.hpp"
#include "model/profile/device_profile.hpp"

/// @file
/// A GPU that is here from the samples of a few seconds and the profile of a relative
/// (docs/model.md, "Like another GPU").

namespace sparsecast {

/// The relative's profile, scaled (`relative_of_device`), with the constants of the traffic model
/// fitted to the trusted samples: those of the device within what they say, those of kernels near
/// the relative's (`TrafficFitOptions::relative`). What is fitted is each time less the relative's
/// residual, which is kept. Intervals are the relative's, wider by `transfer_spread`. Samples of
/// kinds of kernels that the relative does not have are left out, with a warning. Throws `Error`
/// like `relative_of_device`, for samples of a CPU, without any that can be fitted, and where the
/// search does not end.
ProfileFit fit_like(const SampleFile& file, const DeviceProfile& relative, const std::string& name);

}  // namespace sparsecast
