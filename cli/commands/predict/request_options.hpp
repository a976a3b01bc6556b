#pragma once

#include <vector>

#include "cli/command.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast::cli {

/// What the options of `predict` ask for of all these profiles. Throws `UsageError` for options
/// that the model of one would not use, and for choices without kernels.
PredictionRequest prediction_request(const CommandLine& line,
                                     const std::vector<DeviceProfile>& profiles);

}  // namespace sparsecast::cli
