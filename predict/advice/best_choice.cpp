#include "predict/advice/best_choice.hpp"

#include <algorithm>
#include <string>

#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "predict/advice/compared_time.hpp"
#include "predict/forecast/solve_setup.hpp"

namespace sparsecast {

bool is_tie(double seconds_a, const std::optional<Interval>& interval_a, double seconds_b,
            const std::optional<Interval>& interval_b) {
  const auto [faster, slower] = std::minmax(seconds_a, seconds_b);
  if (slower <= (1 + tie_margin) * faster) return true;
  const auto contains = [](const std::optional<Interval>& interval, double seconds) {
    return interval && interval->low <= seconds && seconds <= interval->high;
  };
  return contains(interval_a, seconds_b) && contains(interval_b, seconds_a);
}

bool has_too_many_rows(const Prediction& prediction) {
  const bool enough_memory =
      prediction.memory_bytes == 0 || prediction.bytes_per_device <= prediction.memory_bytes;
  return prediction.fits == false && enough_memory;
}

BestChoice best_choice(std::span<const Prediction> predictions) {
  if (predictions.empty()) throw Error("no prediction to choose from");
  const ComparedTime compared = compared_time(predictions);
  const auto seconds = [&](std::size_t i) { return seconds_of(predictions[i], compared); };
  const auto interval = [&](std::size_t i, std::size_t other) {
    const bool set_up_alike = predictions[i].devices == predictions[other].devices;
    return compared == ComparedTime::whole_solve && set_up_alike
               ? compared_interval(predictions[i])
               : interval_of(predictions[i], compared);
  };

  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (predictions[i].fits.value_or(true) && !predictions[i].only_compared) fitting.push_back(i);
  }
  if (fitting.empty()) {
    const Prediction& smallest =
        *std::ranges::min_element(predictions, {}, &Prediction::bytes_per_device);
    if (has_too_many_rows(smallest)) {
      throw Error(std::string("the matrix fits on no device: ") + too_many_rows);
    }
    throw Error(
        "the matrix fits on no device: at best it needs " +
        short_bytes(static_cast<double>(smallest.bytes_per_device)) + " on " +
        (smallest.devices == 1 ? "a device"
                               : "each of " + std::to_string(smallest.devices) + " devices") +
        " of " + short_bytes(static_cast<double>(smallest.memory_bytes)) + "; try more devices");
  }
  std::ranges::stable_sort(fitting, {}, seconds);

  BestChoice best;
  best.index = fitting.front();
  for (const std::size_t other : std::span(fitting).subspan(1)) {
    best.others.push_back({other, seconds(other) / seconds(best.index) - 1,
                           is_tie(seconds(best.index), interval(best.index, other), seconds(other),
                                  interval(other, best.index))});
  }
  return best;
}

}  // namespace sparsecast
