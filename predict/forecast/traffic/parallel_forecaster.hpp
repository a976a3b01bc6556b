#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/precision.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"
#include "core/workload/segment_work.hpp"
#include "model/links/parallel_pricer.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/forecast/forecast_choice.hpp"
#include "predict/forecast/forecast_problem.hpp"
#include "predict/forecast/solver_list.hpp"
#include "predict/forecast/traffic/parallel_forecast.hpp"
#include "predict/prediction.hpp"

namespace sparsecast {

/// Forecasts iterations on several GPUs, or CPUs of a network, by the profile's traffic model.
class ParallelForecaster {
 public:
  /// All must outlive it.
  ParallelForecaster(const ForecastProblem& problem, const DeviceProfile& profile,
                     Precision precision, const SolverList& solvers)
      : problem_(problem), profile_(profile), precision_(precision), solvers_(solvers) {}

  /// Whether there are such kernels, and the profile has all parameters of their price.
  bool knows(const ForecastChoice& choice);

  /// Fills in the exchange, the time with its interval and parts, raw performance and how the
  /// model came to them, and warns where it extrapolates; returns the segments.
  std::vector<SegmentShape> forecast(const ForecastChoice& choice, Prediction& prediction);

 private:
  bool is_cpu() const;
  ExchangeMode exchange(int devices) const;
  using Segments = std::shared_ptr<const std::vector<SegmentWork>>;
  const Segments& work(const ForecastChoice& choice, ExchangeMode mode);
  /// The last one stays: what is known is forecast next.
  const ParallelPricer& pricer(const ForecastChoice& choice, ExchangeMode mode);
  SegmentShape held_shape(const SegmentWork& segment, int devices) const;
  void widen(const ForecastChoice& choice, const ParallelForecast& forecast, ExchangeMode mode,
             Interval& interval);

  const ForecastProblem& problem_;
  const DeviceProfile& profile_;
  Precision precision_;
  const SolverList& solvers_;
  std::map<std::pair<Layout, int>, Segments> work_;  ///< by layout and devices
  std::optional<std::pair<ForecastChoice, ParallelPricer>> last_pricer_;
};

}  // namespace sparsecast
