#pragma once

#include <vector>

#include "core/workload/segment_shape.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/forecast/forecast_choice.hpp"
#include "predict/forecast/forecast_problem.hpp"
#include "predict/forecast/solver_list.hpp"
#include "predict/prediction.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast {

/// Forecasts iterations of Algorithm 1 by the profile's throughput curves: the paper's model, and
/// the same with a last-level cache.
class CurveForecaster {
 public:
  /// All must outlive it.
  CurveForecaster(const ForecastProblem& problem, const DeviceProfile& profile,
                  const PredictionRequest& request, const SolverList& solvers)
      : problem_(problem), profile_(profile), request_(request), solvers_(solvers) {}

  /// Whether the profile has the product's curve in this layout. Throws `Error` where it lacks the
  /// precision.
  bool knows(const Layout& layout) const;

  /// Fills in the time and its parts, raw performance and warnings, by average curves also its
  /// interval and what the model is known to be off by; returns the segments. Throws `Error` where
  /// the profile lacks the precision, a curve or a link.
  std::vector<SegmentShape> forecast(const ForecastChoice& choice, Prediction& prediction) const;

 private:
  const ForecastProblem& problem_;
  const DeviceProfile& profile_;
  const PredictionRequest& request_;
  const SolverList& solvers_;
};

}  // namespace sparsecast
