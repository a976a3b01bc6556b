#include "predict/forecast/traffic/parallel_forecaster.hpp"

#include <algorithm>

#include "model/links/parallel_pricer.hpp"
#include "predict/forecast/traffic/estimate_spread.hpp"
#include "predict/forecast/traffic/traffic_price.hpp"
#include "predict/warning_lines.hpp"

namespace sparsecast {

bool ParallelForecaster::knows(const ForecastChoice& choice) {
  const std::optional<LaunchMode> launch =
      is_cpu() ? std::nullopt : std::optional(LaunchMode::graph);
  if (calls_libraries(solvers_.at(choice.schedule)) || choice.launch != launch) return false;
  const ExchangeMode mode = exchange(choice.devices);
  return knows_all(profile_.traffic->parameters, pricer(choice, mode).parameter_groups());
}

std::vector<SegmentShape> ParallelForecaster::forecast(const ForecastChoice& choice,
                                                       Prediction& prediction) {
  const ExchangeMode mode = exchange(choice.devices);
  const Segments& shared = work(choice, mode);
  const std::vector<SegmentWork>& segments = *shared;
  const ParallelForecast forecast =
      price_on_several(profile_, solvers_.listed(choice.schedule).priced(), pricer(choice, mode),
                       segments, precision_, choice.layout);
  if (!is_cpu()) {
    prediction.exchange = mode;
    prediction.launch = launch_on(profile_, choice.devices);
  }
  const SegmentWork& one = segments.front();
  prediction.traffic = {{choice.layout,
                         one.shape,
                         one.pattern,
                         {one.product, {}},
                         one.geometry,
                         cpu_execution_on(profile_, segments)},
                        forecast.price,
                        shared};
  prediction.seconds_per_iteration = forecast.price.seconds;
  prediction.interval_seconds = forecast.interval;
  prediction.estimated_pattern = problem_.estimated_from.has_value();
  prediction.parts = parts_of(forecast.price);
  if (!forecast.extrapolation.empty()) prediction.warnings.push_back(forecast.extrapolation);
  if (!forecast.novelty.empty()) {
    prediction.warnings.push_back(warning_of(choice.schedule, choice.layout, forecast.novelty));
  }
  if (prediction.interval_seconds && problem_.estimated_from) {
    widen(choice, forecast, mode, *prediction.interval_seconds);
  }
  std::vector<SegmentShape> shapes;
  double elements = 0;
  for (const SegmentWork& segment : segments) {
    shapes.push_back(held_shape(segment, choice.devices));
    elements += segment.shape.elements;
  }
  prediction.raw_gflops = solvers_.flops(choice.schedule, problem_.unknowns, elements) /
                          prediction.seconds_per_iteration / 1e9;
  return shapes;
}

bool ParallelForecaster::is_cpu() const {
  return profile_.traffic->cpu_threads > 0;
}

/// Halo, or what the link, or the network, knows instead.
ExchangeMode ParallelForecaster::exchange(int devices) const {
  if (profile_.is_on_network(devices)) return exchange_by(transport_on(profile_));
  const auto& exchanges = profile_.link(devices).costs->exchanges;
  for (const ExchangeMode mode : {ExchangeMode::halo, ExchangeMode::peer}) {
    if (exchanges.contains(mode)) return mode;
  }
  return ExchangeMode::staged;
}

const ParallelForecaster::Segments& ParallelForecaster::work(const ForecastChoice& choice,
                                                             ExchangeMode mode) {
  const auto [place, first] = work_.try_emplace({choice.layout, choice.devices});
  if (first) {
    // Ranks exchange halos, whoever carries them.
    const bool ranks = profile_.is_on_network(choice.devices);
    place->second = std::make_shared<const std::vector<SegmentWork>>(
        problem_.work(choice.layout, choice.devices, ranks ? ExchangeMode::nccl : mode));
  }
  return place->second;
}

const ParallelPricer& ParallelForecaster::pricer(const ForecastChoice& choice, ExchangeMode mode) {
  if (!last_pricer_ || last_pricer_->first != choice) {
    last_pricer_.emplace(
        choice, ParallelPricer(solvers_.listed(choice.schedule).priced(), *work(choice, mode),
                               profile_.traffic->gpu, precision_, choice.layout, mode,
                               cpu_execution_on(profile_, *work(choice, mode)),
                               launch_on(profile_, choice.devices)));
  }
  return last_pricer_->second;
}

/// A rank has nothing of a vector that it does not touch; devices of one process have all of it.
SegmentShape ParallelForecaster::held_shape(const SegmentWork& segment, int devices) const {
  return profile_.are_ranks(devices) ? segment.touched_shape() : segment.shape;
}

/// By what it costs to guess the pattern.
void ParallelForecaster::widen(const ForecastChoice& choice, const ParallelForecast& forecast,
                               ExchangeMode mode, Interval& interval) {
  const auto touched = [&](const ForecastChoice& by) {
    return solvers_.listed(by.schedule)
        .priced()
        .working_set_bytes(held_shape(work(by, mode)->front(), by.devices), precision_);
  };
  double bytes = touched(choice);
  // A guess is no better on more devices than were measured. A rank of a network is one device.
  if (!forecast.extrapolation.empty() && !profile_.is_on_network(choice.devices)) {
    ForecastChoice measured = choice;
    measured.devices = profile_.devices_of_link(choice.devices);
    bytes = std::max(bytes, touched(measured));
  }
  const EstimateSpread spread = estimate_spread(*problem_.estimated_from, LaunchMode::graph, bytes);
  // What is looked up is guessed within a factor of 2.5 for meshes.
  constexpr double more_exchanged = 1.5;
  interval.low *= spread.low;
  interval.high *= spread.high;
  interval.high +=
      more_exchanged * (forecast.price.exchange_seconds + forecast.price.hidden_seconds);
}

}  // namespace sparsecast
