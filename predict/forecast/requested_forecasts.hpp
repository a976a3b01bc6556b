#pragma once

#include <vector>

#include "model/profile/device_profile.hpp"
#include "predict/forecast/predictor.hpp"
#include "predict/prediction.hpp"
#include "predict/prediction_request.hpp"

/// @file
/// Which combinations a request asks for. The predictor is one of the same profile and request.

namespace sparsecast {

/// All that the request asks for and the traffic model knows; libraries' last. Throws `Error`
/// where nothing is left, or a layout that was asked for is not among it.
std::vector<Prediction> predict_by_traffic(Predictor& predictor, const DeviceProfile& profile,
                                           const PredictionRequest& request);

/// The layouts of the request, or those that the profile has curves for, by its curves. Throws
/// `Error` where it has none, lacks what a price needs, or a layout that was asked for does not
/// suit the matrix.
std::vector<Prediction> predict_by_curves(Predictor& predictor, const DeviceProfile& profile,
                                          const PredictionRequest& request);

}  // namespace sparsecast
