#include "predict/forecast/curve_forecaster.hpp"

#include <string>

#include "core/schedule/built_in_solvers.hpp"
#include "model/paper/iteration_time.hpp"
#include "predict/profile_limits.hpp"

namespace sparsecast {

bool CurveForecaster::knows(const Layout& layout) const {
  const auto& curves = profile_.at(request_.precision).curves;
  return curves.contains(spmv_curve_key(to_string(layout)));
}

std::vector<SegmentShape> CurveForecaster::forecast(const ForecastChoice& choice,
                                                    Prediction& prediction) const {
  const std::string name = to_string(choice.layout);
  std::vector<SegmentShape> segments = problem_.segments(choice.layout, choice.devices);
  const IterationTime time = price_iteration(algorithm1().schedule, segments, profile_,
                                             request_.precision, name, request_.curve);
  prediction.seconds_per_iteration = time.seconds;
  prediction.raw_gflops = time.flops / time.seconds / 1e9;
  prediction.parts = time.parts;
  prediction.warnings = time.warnings;
  // A best case is no expectation: it has no error to be told.
  if (request_.curve == CurveKind::maximum) return segments;
  if (const IntervalRatios* ratios =
          profile_.iteration_ratios(request_.precision, name, choice.devices)) {
    prediction.interval_seconds = Interval{time.seconds * ratios->low, time.seconds * ratios->high};
    if (ratios->median > 0) prediction.measured_over_predicted = ratios->median;
  }
  const std::string warning =
      bias_warning(profile_, request_.precision, choice.layout, choice.devices);
  if (!warning.empty()) prediction.warnings.push_back(warning);
  return segments;
}

}  // namespace sparsecast
