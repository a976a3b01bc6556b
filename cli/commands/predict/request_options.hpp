#pragma once

#include "cli/command.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast::cli {

/// What the options of `predict` ask for. Throws `UsageError` for options that the profile's model
/// would not use, and for choices without kernels.
PredictionRequest prediction_request(const CommandLine& line, const DeviceProfile& profile);

}  // namespace sparsecast::cli
