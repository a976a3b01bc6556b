#include "predict/forecast/solve_setup.hpp"

#include <cmath>
#include <limits>

#include "core/workload/layout.hpp"
#include "predict/forecast/device_memory.hpp"
#include "predict/forecast/forecast_choice.hpp"

namespace sparsecast {

void add_setup(const ForecastProblem& problem, const Schedule& schedule,
               std::span<const SegmentShape> segments, const DeviceProfile& profile, bool converts,
               Prediction& prediction) {
  const Precision precision = prediction.precision;
  const int matrices = stored_matrices(schedule);
  double elements = 0;
  double bytes = 2 * static_cast<double>(bytes_per_value(precision)) *
                 problem.unknowns;  // the start value and the right-hand side
  for (const SegmentShape& segment : segments) {
    elements += segment.elements;
    bytes += matrices * matrix_bytes(segment, precision);
  }
  const auto& conversion = profile.at(precision).conversion;
  const auto cost = conversion.find(to_string(prediction.layout));
  if (cost != conversion.end() && converts) {
    prediction.conversion_seconds =
        matrices * (cost->second.seconds_per_nonzero * problem.nonzeros +
                    cost->second.seconds_per_element * elements);
  }
  if (profile.kind == DeviceProfile::Kind::cpu) {
    prediction.upload_seconds = 0;
  } else if (profile.upload_gbps) {
    prediction.upload_seconds = bytes / (*profile.upload_gbps * 1e9);
  }
}

void add_solve_seconds(double last_seconds, Prediction& prediction) {
  const auto& count = prediction.count;
  if (prediction.iterations <= 0 && !count) return;
  const double start = prediction.start_seconds.value_or(0);
  double iterating = 0;
  if (prediction.iterations > 0) {
    iterating = static_cast<double>(prediction.iterations - 1) * prediction.seconds_per_iteration +
                last_seconds;
  }
  const double seconds = start + iterating;
  prediction.iterations_seconds = seconds;
  if (const auto& one = prediction.interval_seconds) {
    const bool spreads = count && count->amount > 0;
    const double fewer = spreads ? count->fewest / count->amount : 1;
    const double more = spreads ? count->most / count->amount : 1;
    const double scaled = iterating / prediction.seconds_per_iteration;
    prediction.iterations_interval =
        Interval{start + scaled * one->low * fewer, start + scaled * one->high * more};
  }
  if (knows_setup(prediction)) {
    prediction.total_seconds =
        *prediction.conversion_seconds + *prediction.upload_seconds + seconds;
  }
}

bool knows_setup(const Prediction& prediction) {
  return prediction.conversion_seconds && prediction.upload_seconds;
}

std::optional<double> pays_after(const Prediction& layout, const Prediction& csr) {
  if (!knows_setup(layout) || !knows_setup(csr)) return std::nullopt;
  const double saved = csr.seconds_per_iteration - layout.seconds_per_iteration;
  const double dearer = *layout.conversion_seconds + *layout.upload_seconds -
                        *csr.conversion_seconds - *csr.upload_seconds;
  if (dearer <= 0 && saved >= 0) return 0;
  return saved > 0 ? std::ceil(dearer / saved) : std::numeric_limits<double>::infinity();
}

}  // namespace sparsecast
