#include "predict/advice/compared_time.hpp"

#include <algorithm>

namespace sparsecast {

ComparedTime compared_time(std::span<const Prediction> predictions) {
  const auto all = [&](std::optional<double> Prediction::*known) {
    return std::ranges::all_of(predictions, [known](const Prediction& each) {
      return each.only_compared || (each.*known).has_value();
    });
  };
  if (all(&Prediction::total_seconds)) return ComparedTime::whole_solve;
  if (all(&Prediction::iterations_seconds)) return ComparedTime::iterations;
  return ComparedTime::iteration;
}

double seconds_of(const Prediction& prediction, ComparedTime time) {
  switch (time) {
    case ComparedTime::whole_solve:
      return *prediction.total_seconds;
    case ComparedTime::iterations:
      return *prediction.iterations_seconds;
    case ComparedTime::iteration:
      break;
  }
  return prediction.seconds_per_iteration;
}

std::optional<Interval> interval_of(const Prediction& prediction, ComparedTime time) {
  if (time == ComparedTime::iteration) return prediction.interval_seconds;
  if (time == ComparedTime::iterations) return prediction.iterations_interval;
  return prediction.total_interval;
}

}  // namespace sparsecast
