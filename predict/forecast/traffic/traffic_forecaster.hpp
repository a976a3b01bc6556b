#pragma once

#include <map>
#include <optional>
#include <utility>

#include "core/base/precision.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"
#include "model/profile/device_profile.hpp"
#include "model/traffic/traffic_pricer.hpp"
#include "predict/forecast/forecast_choice.hpp"
#include "predict/forecast/forecast_problem.hpp"
#include "predict/forecast/solver_list.hpp"
#include "predict/forecast/traffic/traffic_interval.hpp"
#include "predict/prediction.hpp"

namespace sparsecast {

/// Forecasts iterations on one device by the profile's traffic model.
class TrafficForecaster {
 public:
  /// All must outlive it.
  TrafficForecaster(const ForecastProblem& problem, const DeviceProfile& profile,
                    Precision precision, const SolverList& solvers)
      : problem_(problem), profile_(profile), precision_(precision), solvers_(solvers) {}

  /// Whether there are such kernels, and the profile has all parameters of their price.
  bool knows(const ForecastChoice& choice);

  /// Fills in the time with its interval and parts, raw performance and how the model came to
  /// them; returns the matrix as one segment.
  SegmentShape forecast(const ForecastChoice& choice, Prediction& prediction);

  /// Vector values that segments of its persistent kernel look up in others; 0 without one.
  double persistent_halo(const ForecastChoice& choice);

 private:
  /// Adds what the host of a library takes, and says so.
  static void add_host(const Solver& solver, TrafficPrice& price, Prediction& prediction);
  TrafficCase traffic_case(const ForecastChoice& choice);
  /// By the solver's kernel for all iterations; none where it has none, or nobody knows.
  const std::optional<PersistentExecution>& persistent(const ForecastChoice& choice);
  /// The last one stays: what is known is forecast next.
  const TrafficPricer& pricer(const ForecastChoice& choice, const TrafficCase& one);
  std::optional<Interval> interval(const TrafficTime& time, LaunchMode mode);

  const ForecastProblem& problem_;
  const DeviceProfile& profile_;
  Precision precision_;
  const SolverList& solvers_;
  std::map<Layout, TrafficCase> cases_;
  std::map<std::pair<std::string, Layout>, std::optional<PersistentExecution>> persistent_;
  std::optional<std::pair<ForecastChoice, TrafficPricer>> last_pricer_;
};

}  // namespace sparsecast
