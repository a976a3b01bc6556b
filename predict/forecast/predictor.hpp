#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/workload/launch_mode.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/forecast/curve_forecaster.hpp"
#include "predict/forecast/forecast_choice.hpp"
#include "predict/forecast/forecast_problem.hpp"
#include "predict/forecast/solve_setup.hpp"
#include "predict/forecast/solver_list.hpp"
#include "predict/forecast/traffic/parallel_forecaster.hpp"
#include "predict/forecast/traffic/traffic_forecaster.hpp"
#include "predict/prediction.hpp"
#include "predict/prediction_request.hpp"

namespace sparsecast {

/// The launch modes of one device that are priced where none is asked for; no mode where the
/// profile's model knows none.
std::vector<std::optional<LaunchMode>> default_launches(const DeviceProfile& profile);

/// Makes predictions of one problem: the time by the model of the profile, and what follows from
/// it.
class Predictor {
 public:
  /// All but the problem must outlive it. `solvers`: those of the request.
  Predictor(ForecastProblem problem, const DeviceProfile& profile, const PredictionRequest& request,
            const SolverList& solvers);
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  /// Without speedup and payoff. Throws `Error` where the profile lacks what the price needs.
  Prediction predict(const ForecastChoice& choice);

  /// Whether a layout is worth a forecast on so many devices, and they store the matrix so.
  bool is_unasked(const Layout& layout, int devices);
  /// Why devices do not store the matrix so (`Format::refusal`), or nothing is known of the layout;
  /// empty where they do.
  std::string refusal(const Layout& layout, int devices);

  /// Whether a solver is made of calls of libraries: the vendor's, or one that a library carries
  /// out (`Solver::library`); `is_library`: the latter alone.
  bool calls_libraries(const std::string& schedule) const;
  bool is_library(const std::string& schedule) const;

  /// By the traffic model; nothing where the profile has not all parameters for
  /// it, the layout is refused, or there is no such kernel.
  std::optional<Prediction> predict_if_known(const ForecastChoice& choice);

  /// Fills `speedup` of all that is forecast; what is among them is not priced again.
  void add_speedups(std::span<Prediction> predictions);

  /// Fills `pays_after_iterations` of other layouts than CSR where setup is known, over CSR among
  /// them in the same launch mode; where there is none it is priced for whole solves only. Of
  /// persistent kernels, CSR's too, it is over CSR by graph.
  void add_payoffs(std::span<Prediction> predictions);

 private:
  std::string reference_of(const std::string& schedule) const;
  std::vector<SegmentShape> forecast(const ForecastChoice& choice, Prediction& prediction);
  bool knows(const ForecastChoice& choice);
  std::optional<double> seconds_of(const Solver& part, ForecastChoice choice);
  std::pair<SystemSize, std::span<const SegmentShape>> set_up_by_host(
      int devices, std::span<const SegmentShape> segments) const;
  double fastest_on_one(const std::string& schedule, const Layout& layout);
  std::optional<Prediction> predict_csr(const Prediction& other);

  ForecastProblem problem_;
  const DeviceProfile& profile_;
  const PredictionRequest& request_;
  const SolverList& solvers_;
  CurveForecaster by_curves_;
  TrafficForecaster by_traffic_;
  ParallelForecaster on_several_;
  /// Seconds on one device of what speedups are over, by schedule, layout and launch mode.
  std::map<std::tuple<std::string, Layout, std::optional<LaunchMode>>, double> one_device_;
};

}  // namespace sparsecast
