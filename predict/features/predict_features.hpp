#pragma once

#include <vector>

#include "model/profile/device_profile.hpp"
#include "predict/features/forecast_features.hpp"
#include "predict/prediction.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast {

/// Predicts from what was counted of a matrix, to the last bit as `predict_matrix` does from the
/// matrix in the same order. Throws `Error` like that, and one that says what to run where the
/// features lack a number of devices, a layout that is asked for, or the profile's GPU.
std::vector<Prediction> predict_features(const ForecastFeatures& features,
                                         const DeviceProfile& profile,
                                         const PredictionRequest& request);

/// Throws `Error` that says what to run where the features do not say which of several devices
/// exchange with which, as those of files of earlier versions: what forecasts over a network need.
void require_neighbours(const ForecastFeatures& features);

}  // namespace sparsecast
