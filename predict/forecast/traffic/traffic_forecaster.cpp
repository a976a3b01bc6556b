#include "predict/forecast/traffic/traffic_forecaster.hpp"

#include "core/analysis/persistent_execution.hpp"
#include "predict/forecast/traffic/estimate_spread.hpp"
#include "predict/forecast/traffic/traffic_interval.hpp"
#include "predict/forecast/traffic/traffic_price.hpp"
#include "predict/warning_lines.hpp"

namespace sparsecast {

bool TrafficForecaster::knows(const ForecastChoice& choice) {
  const Solver& solver = solvers_.at(choice.schedule);
  if (choice.launch == LaunchMode::persistent) {
    const auto& steps = profile_.traffic->parameters.persistent_steps;
    if (!steps.contains(precision_) || !is_persistent_layout(choice.layout)) return false;
    const std::optional<PersistentExecution>& execution = persistent(choice);
    if (!execution || !execution->fits) return false;
  }
  if (calls_libraries(solver) && choice.layout != Layout{}) return false;
  if (solver.library && choice.launch != LaunchMode::plain) return false;
  return knows_all(profile_.traffic->parameters,
                   pricer(choice, traffic_case(choice)).parameter_groups());
}

double TrafficForecaster::persistent_halo(const ForecastChoice& choice) {
  if (choice.launch != LaunchMode::persistent) return 0;
  const std::optional<PersistentExecution>& execution = persistent(choice);
  return execution ? execution->halo : 0;
}

SegmentShape TrafficForecaster::forecast(const ForecastChoice& choice, Prediction& prediction) {
  TrafficForecast traffic;
  traffic.segment = traffic_case(choice);
  const Solver& solver = solvers_.at(choice.schedule);
  traffic.price = pricer(choice, traffic.segment).price(profile_.traffic->parameters);
  if (solver.library) add_host(solver, traffic.price, prediction);
  const double seconds = traffic.price.seconds;
  const SegmentShape shape = traffic.segment.shape;
  prediction.seconds_per_iteration = seconds;
  const PricedSchedule& iterations = solvers_.listed(choice.schedule).priced();
  const TrafficTime time{iterations,
                         choice.launch,
                         choice.layout,
                         iterations.working_set_bytes(shape, precision_),
                         seconds,
                         traffic.price.likeness,
                         traffic.segment.persistent_needs.value_or(PersistentNeeds{})};
  // Calibration has measured no library's calls.
  if (!solver.library) {
    prediction.interval_seconds = interval(time, choice.mode());
    const std::string warning = novelty_warning(*profile_.traffic, time);
    if (!warning.empty()) {
      prediction.warnings.push_back(warning_of(choice.schedule, choice.layout, warning));
    }
  }
  prediction.estimated_pattern = problem_.estimated_from.has_value();
  prediction.parts = parts_of(traffic.price);
  prediction.raw_gflops =
      solvers_.flops(choice.schedule, problem_.unknowns, shape.elements) / seconds / 1e9;
  prediction.traffic = std::move(traffic);
  return shape;
}

void TrafficForecaster::add_host(const Solver& solver, TrafficPrice& price,
                                 Prediction& prediction) {
  const LibraryExecution& library = *solver.library;
  price = with_host(solver.schedule, library, std::move(price));
  prediction.library = {library.library, library_calls(solver.schedule), library.host_call_seconds,
                        library.measured};
  if (library.measured) return;
  prediction.warnings.push_back(
      solver.name() + ": nobody has held forecasts against " + library.library +
      "; its host call (the host's time for a call) is assumed; give one that was measured "
      "(--host-call, from Python host_call)");
}

TrafficCase TrafficForecaster::traffic_case(const ForecastChoice& choice) {
  const auto [place, first] = cases_.try_emplace(choice.layout);
  if (first) place->second = problem_.traffic(choice.layout);
  TrafficCase one = place->second;
  if (choice.launch == LaunchMode::persistent) {
    one.execution.persistent = persistent(choice).value_or(PersistentExecution{});
    one.persistent_needs = solvers_.listed(choice.schedule).persistent_needs();
  }
  if (calls_libraries(solvers_.at(choice.schedule)))
    one.shape = problem_.segments(choice.layout, 1).front();
  return one;
}

const std::optional<PersistentExecution>& TrafficForecaster::persistent(
    const ForecastChoice& choice) {
  const auto [place, first] = persistent_.try_emplace({choice.schedule, choice.layout});
  if (!first) return place->second;
  const std::optional<PersistentNeeds>& kept = solvers_.listed(choice.schedule).persistent_needs();
  if (kept) place->second = problem_.persistent(choice.layout, *kept);
  return place->second;
}

const TrafficPricer& TrafficForecaster::pricer(const ForecastChoice& choice,
                                               const TrafficCase& one) {
  if (!last_pricer_ || last_pricer_->first != choice) {
    last_pricer_.emplace(
        choice, TrafficPricer(solvers_.listed(choice.schedule).priced(), choice.mode(), one,
                              profile_.traffic->gpu, precision_));
  }
  return last_pricer_->second;
}

std::optional<Interval> TrafficForecaster::interval(const TrafficTime& time, LaunchMode mode) {
  std::optional<Interval> known = traffic_interval(*profile_.traffic, time);
  if (known && problem_.estimated_from) {
    const EstimateSpread spread =
        estimate_spread(*problem_.estimated_from, mode, time.working_set_bytes);
    known->low *= spread.low;
    known->high *= spread.high;
  }
  return known;
}

}  // namespace sparsecast
