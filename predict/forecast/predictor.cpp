#include "predict/forecast/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/formats/registry.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "predict/forecast/device_memory.hpp"
#include "predict/forecast/solve_setup.hpp"
#include "predict/profile_limits.hpp"
#include "predict/unasked_layouts.hpp"

namespace sparsecast {

namespace {

/// Of CSR, over which a choice pays: what needs no preparation.
std::optional<LaunchMode> launch_to_pay_over(std::optional<LaunchMode> launch) {
  return launch == LaunchMode::persistent ? LaunchMode::graph : launch;
}

}  // namespace

std::vector<std::optional<LaunchMode>> default_launches(const DeviceProfile& profile) {
  if (!profile.traffic || profile.traffic->cpu_threads > 0) return {std::nullopt};
  return {LaunchMode::graph, LaunchMode::persistent};
}

Predictor::Predictor(ForecastProblem problem, const DeviceProfile& profile,
                     const PredictionRequest& request, const SolverList& solvers)
    : problem_(std::move(problem)),
      profile_(profile),
      request_(request),
      solvers_(solvers),
      by_curves_(problem_, profile, request, solvers_),
      by_traffic_(problem_, profile, request.precision, solvers_),
      on_several_(problem_, profile, request.precision, solvers_) {}

Prediction Predictor::predict(const ForecastChoice& choice) {
  Prediction prediction;
  prediction.profile = profile_.name;
  prediction.estimated = profile_.origin == DeviceProfile::Origin::estimated;
  prediction.layout = choice.layout;
  prediction.devices = choice.devices;
  if (problem_.renumbering) prediction.renumbering = problem_.renumbering(choice.devices);
  prediction.precision = request_.precision;
  prediction.model = profile_.model();
  prediction.schedule = choice.schedule;
  prediction.launch = choice.launch;
  const std::vector<SegmentShape> segments = forecast(choice, prediction);
  for (const std::string& warning : {machine_warning(profile_, choice.devices),
                                     arithmetic_warning(profile_, request_.precision)}) {
    if (!warning.empty()) prediction.warnings.push_back(warning);
  }
  if (problem_.density_known || choice.layout.block_size == 1) {
    prediction.effective_gflops =
        solvers_.flops(choice.schedule, problem_.unknowns, problem_.nonzeros) /
        prediction.seconds_per_iteration / 1e9;
  }
  const Solver& solver = solvers_.at(choice.schedule);
  prediction.bytes_per_device = fullest_device_bytes(solver.schedule, segments, request_.precision);
  prediction.memory_bytes = profile_.memory_bytes;
  prediction.fits = fits(segments, prediction.bytes_per_device, profile_.memory_bytes);
  prediction.iterations = request_.iterations;
  auto [system, set_up] = set_up_by_host(choice.devices, segments);
  if (choice.devices == 1) system.halo = by_traffic_.persistent_halo(choice);
  add_setup(system, solver, set_up, profile_, !calls_libraries(choice.schedule), prediction);
  if (is_library(choice.schedule)) prediction.conversion_seconds = 0;  // it takes CSR
  const auto counted =
      std::ranges::find(request_.counted, choice.schedule,
                        [](const CountedSolver& each) { return each.count.solver; });
  add_solve_seconds(
      counted != request_.counted.end() ? &*counted : nullptr, system,
      solvers_.listed(choice.schedule), profile_,
      [&](const Solver& part) { return seconds_of(part, choice); }, prediction);
  if (prediction.total_seconds && lacks_preparation(prediction, profile_)) {
    prediction.warnings.push_back("profile '" + profile_.name +
                                  "' does not know what the host takes to prepare a persistent "
                                  "kernel, which the time of a whole solve lacks; calibrate the "
                                  "device with this version");
  }
  return prediction;
}

/// What one process sets up, and its segments: all of one host's; of ranks each what it has, and
/// the others wait for the fullest.
std::pair<SystemSize, std::span<const SegmentShape>> Predictor::set_up_by_host(
    int devices, std::span<const SegmentShape> segments) const {
  const SystemSize all{problem_.unknowns, problem_.nonzeros};
  if (!profile_.are_ranks(devices)) return {all, segments};
  double elements = 0;
  for (const SegmentShape& segment : segments) elements += segment.elements;
  const auto fullest = std::ranges::max_element(segments, {}, &SegmentShape::elements);
  const double share = elements > 0 ? fullest->elements / elements : 1.0 / devices;
  return {{fullest->unknowns, share * all.nonzeros}, std::span(fullest, 1)};
}

/// Seconds of a part of a solver, launched as the solver is; where that is one kernel, by graph.
/// Nothing where the profile does not know all of it.
std::optional<double> Predictor::seconds_of(const Solver& part, ForecastChoice choice) {
  choice.schedule = part.name();
  if (choice.launch == LaunchMode::persistent) choice.launch = LaunchMode::graph;
  if (!knows(choice)) return std::nullopt;
  Prediction one;
  one.layout = choice.layout;
  one.devices = choice.devices;
  one.precision = request_.precision;
  one.schedule = choice.schedule;
  one.launch = choice.launch;
  forecast(choice, one);
  return one.seconds_per_iteration;
}

bool Predictor::is_unasked(const Layout& layout, int devices) {
  const auto worth_it = [&](const PatternNumbers& segment) {
    return is_forecast_unasked(segment, layout);
  };
  return refusal(layout, devices).empty() &&
         std::ranges::all_of(problem_.numbers(layout, devices), worth_it);
}

std::string Predictor::refusal(const Layout& layout, int devices) {
  if (std::string why = problem_.unknown ? problem_.unknown(layout) : ""; !why.empty()) return why;
  const Format& format = format_of(layout);
  if (!problem_.numbers || format.refusal == nullptr) return "";
  for (const PatternNumbers& segment : problem_.numbers(layout, devices)) {
    std::string why = format.refusal(segment, layout);
    if (!why.empty()) return why;
  }
  return "";
}

bool Predictor::calls_libraries(const std::string& schedule) const {
  return sparsecast::calls_libraries(solvers_.at(schedule));
}

bool Predictor::is_library(const std::string& schedule) const {
  return solvers_.at(schedule).library.has_value();
}

bool Predictor::knows(const ForecastChoice& choice) {
  return choice.devices > 1 ? on_several_.knows(choice) : by_traffic_.knows(choice);
}

std::optional<Prediction> Predictor::predict_if_known(const ForecastChoice& choice) {
  if (!refusal(choice.layout, choice.devices).empty()) return std::nullopt;
  if (!knows(choice)) return std::nullopt;
  Prediction prediction = predict(choice);
  // Calibration saw no such kernel of that size: nobody knows how well it is forecast.
  if (choice.launch == LaunchMode::persistent && !prediction.interval_seconds) return std::nullopt;
  return prediction;
}

void Predictor::add_speedups(std::span<Prediction> predictions) {
  for (const Prediction& one : predictions) {
    if (one.devices != 1 || one.schedule != reference_of(one.schedule)) continue;
    one_device_[{one.schedule, one.layout, one.launch}] = one.seconds_per_iteration;
  }
  for (Prediction& prediction : predictions) {
    const double one = fastest_on_one(reference_of(prediction.schedule), prediction.layout);
    if (std::isfinite(one)) prediction.speedup = one / prediction.seconds_per_iteration;
  }
}

void Predictor::add_payoffs(std::span<Prediction> predictions) {
  for (Prediction& one : predictions) {
    const std::optional<LaunchMode> launch = launch_to_pay_over(one.launch);
    if ((one.layout == Layout{} && one.launch == launch) || !knows_setup(one)) continue;
    const auto csr = std::ranges::find_if(predictions, [&](const Prediction& other) {
      return other.layout == Layout{} && other.devices == one.devices &&
             other.schedule == one.schedule && other.launch == launch;
    });
    if (csr != predictions.end()) {
      one.pays_after_iterations = pays_after(one, *csr);
    } else if (request_.iterations > 0) {
      const std::optional<Prediction> priced = predict_csr(one);
      if (priced) one.pays_after_iterations = pays_after(one, *priced);
    }
  }
}

/// What one device runs that a schedule's speedup is over: a solver of the user's own itself.
std::string Predictor::reference_of(const std::string& schedule) const {
  if (std::ranges::find(request_.own, schedule, &Solver::name) != request_.own.end()) {
    return schedule;
  }
  return (profile_.traffic ? fused_cg() : algorithm1()).name();
}

/// Fills in what the model says; returns the segments.
std::vector<SegmentShape> Predictor::forecast(const ForecastChoice& choice,
                                              Prediction& prediction) {
  if (!profile_.traffic) return by_curves_.forecast(choice, prediction);
  if (choice.devices > 1) return on_several_.forecast(choice, prediction);
  return {by_traffic_.forecast(choice, prediction)};
}

/// Seconds of an iteration on one device by what we recommend there; infinity where that is not
/// known.
double Predictor::fastest_on_one(const std::string& schedule, const Layout& layout) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::optional<LaunchMode> launch : default_launches(profile_)) {
    const auto [place, first] = one_device_.try_emplace({schedule, layout, launch},
                                                        std::numeric_limits<double>::infinity());
    if (first) {
      const ForecastChoice choice{layout, 1, schedule, launch};
      const std::optional<Prediction> one =
          profile_.traffic ? predict_if_known(choice) : std::optional(predict(choice));
      if (one) place->second = one->seconds_per_iteration;
    }
    least = std::min(least, place->second);
  }
  return least;
}

/// In the same schedule.
std::optional<Prediction> Predictor::predict_csr(const Prediction& other) {
  const ForecastChoice choice{{}, other.devices, other.schedule, launch_to_pay_over(other.launch)};
  if (profile_.traffic) return predict_if_known(choice);
  if (!by_curves_.knows(choice.layout)) return std::nullopt;
  return predict(choice);
}

}  // namespace sparsecast
