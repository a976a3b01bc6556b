#include "predict/validation/case_price.hpp"

#include <algorithm>
#include <utility>

#include "core/analysis/cuda_execution.hpp"
#include "core/base/error.hpp"
#include "core/base/text/short_number.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"
#include "core/schedule/persistent/persistent_plan.hpp"
#include "core/workload/layout.hpp"
#include "model/traffic/traffic_pricer.hpp"
#include "model/working_set.hpp"
#include "predict/counted_solver.hpp"
#include "predict/forecast/solve_setup.hpp"
#include "predict/forecast/solver_list.hpp"
#include "predict/forecast/traffic/parallel_forecast.hpp"
#include "predict/forecast/traffic/traffic_case.hpp"
#include "predict/forecast/traffic/traffic_interval.hpp"
#include "predict/unasked_layouts.hpp"
#include "predict/validation/baseline.hpp"
#include "predict/validation/roofline.hpp"

namespace sparsecast {

namespace {

/// What the profile does not have is no error here: other cases of the same run are priced.
template <class Function>
auto unless_missing(const Function& function) -> std::optional<decltype(function())> {
  try {
    return function();
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// What carried the messages of ranks that ran a case on several devices; nothing where these
/// reach each other's memory, or are of one process.
std::optional<Transport> transport_of_ranks(const PricedCase& one) {
  if (one.launch.empty()) return Transport::mpi;
  const ExchangeMode mode = parse_exchange_mode(one.exchange);
  // One process launches iterations of several GPUs as graphs, however these exchange.
  const bool of_ranks = is_between_ranks(mode) || one.launch == to_string(LaunchMode::host);
  return of_ranks ? transport_of(mode) : std::nullopt;
}

/// Throws `Error` where raw data has no forecast at all.
void require_forecasts(const ValidationData& data) {
  if (data.source.empty() || data.rows.empty()) return;
  if (std::ranges::any_of(data.rows,
                          [](const ValidationRow& row) { return row.predicted_seconds > 0; })) {
    return;
  }
  const auto about = [&data](const char* key) {
    const auto found = data.about.find(key);
    return found == data.about.end() ? std::string("-") : found->second;
  };
  const bool lacks_network = about(ranks_per_host_key) != "-" && about("network") == "-";
  throw Error(
      data.source + ": profile " + about("profile") + " of " + about("profile device") +
      ", by model " + about("model") + ", forecasts no case of what was measured on " +
      about("run on") + "; give " +
      (lacks_network ? "the --network that joined its ranks" : "a profile of such a device") +
      ", or none to see the forecasts in the file");
}

}  // namespace

Solver case_solver(std::string_view name, const OwnSolvers& own) {
  if (const auto found = own.find(name); found != own.end()) {
    return found->second.priced();
  }
  if (name == product_alone) return {.schedule = single_step_schedule("SpMV"), .slots = {}};
  if (const Solver* solver = find_built_in(name)) return *solver;
  throw Error("schedule '" + std::string(name) +
              "' was not given; name it as a solver, or give it from a file");
}

CasePricer::CasePricer(const DeviceProfile& profile, std::string_view model, CurveKind curve,
                       OwnSolvers own)
    : profile_(profile.for_model(model)),
      model_(profile_.model()),
      curve_(curve),
      own_(std::move(own)) {
  if (!profile_.traffic || !profile_.network) return;
  for (const auto& [transport, unused] : profile_.network->transports) {
    joined_.emplace(transport, joined_by(profile_, transport));
  }
}

std::optional<CasePrice> CasePricer::price_by_traffic(const PricedCase& one,
                                                      const Schedule& schedule) const {
  const TrafficProfile& traffic = *profile_.traffic;
  const bool on_cpu = traffic.cpu_threads > 0;
  if (on_cpu != one.launch.empty()) return std::nullopt;
  if (one.segments.size() > 1) return price_several(one, schedule);
  if (one.segments.size() != 1 || one.access == nullptr) return std::nullopt;
  if (!on_cpu && one.execution == nullptr) return std::nullopt;
  if (!knows_products(profile_, one.precision, one.layout)) return std::nullopt;
  const LaunchMode launch = on_cpu ? LaunchMode::plain : parse_launch_mode(one.launch);
  const SegmentShape& shape = one.segments.front();
  return unless_missing([&] {
    const TrafficCase segment =
        on_cpu ? cpu_traffic_case(one.layout, shape, *one.access, traffic.cpu_threads)
               : TrafficCase{
                     one.layout,
                     shape,
                     *one.access,
                     *one.execution,
                     product_geometry(shape, one.layout, one.precision, one.execution->product),
                     {},
                     product_parts(shape, *one.access, one.layout, one.precision,
                                   one.execution->product)};
    const PricedSchedule scheduled(schedule);
    const TrafficPricer pricer(scheduled, launch, segment, traffic.gpu, one.precision);
    const TrafficPrice priced = pricer.price(traffic.parameters);
    CasePrice price;
    price.seconds = priced.seconds;
    const auto needs = launch == LaunchMode::persistent ? persistent_needs(schedule) : std::nullopt;
    price.interval = traffic_interval(
        traffic, {scheduled, on_cpu ? std::nullopt : std::optional(launch), one.layout,
                  scheduled.working_set_bytes(shape, one.precision), priced.seconds,
                  priced.likeness, needs.value_or(PersistentNeeds{})});
    if (launch == LaunchMode::persistent && !price.interval) {
      throw Error("calibration saw no kernel for all iterations of this size");
    }
    return price;
  });
}

std::optional<CasePrice> CasePricer::price_several(const PricedCase& one,
                                                   const Schedule& schedule) const {
  if (one.work.size() < 2 || (!one.launch.empty() && one.exchange.empty())) return std::nullopt;
  const std::optional<Transport> transport = transport_of_ranks(one);
  const DeviceProfile* profile = &profile_;
  if (transport) {
    const auto found = joined_.find(*transport);
    if (found == joined_.end()) return std::nullopt;
    profile = &found->second;
  } else if (profile_.links.empty() || one.launch != to_string(LaunchMode::graph)) {
    return std::nullopt;
  }
  const ExchangeMode mode = transport ? exchange_by(*transport) : parse_exchange_mode(one.exchange);
  return unless_missing([&] {
    const ParallelForecast forecast = price_on_several(
        *profile, schedule, {one.work.begin(), one.work.end()}, one.precision, one.layout, mode);
    return CasePrice{forecast.price.seconds, forecast.interval};
  });
}

bool CasePricer::has_equations(const PricedCase& one) const {
  // Curves are of kernels, each launched by itself, and of exchanges of whole vectors.
  if (one.launch == to_string(LaunchMode::persistent)) return false;
  if (one.exchange == to_string(ExchangeMode::halo)) return false;
  return model_ != "paper" || one.schedule == algorithm1().name() || one.schedule == product_alone;
}

std::optional<CasePrice> CasePricer::price(const PricedCase& one) const {
  if (profile_.traffic) return price_by_traffic(one, case_solver(one.schedule, own_).schedule);
  if (!has_equations(one)) return std::nullopt;
  return unless_missing([&] {
    const std::string layout = to_string(one.layout);
    CasePrice price;
    price.seconds = price_iteration(case_solver(one.schedule, own_).schedule, one.segments,
                                    profile_, one.precision, layout, curve_)
                        .seconds;
    // The profile's intervals are of whole iterations of Algorithm 1.
    if (one.schedule == algorithm1().name() && curve_ == CurveKind::average) {
      const IntervalRatios* ratios =
          profile_.iteration_ratios(one.precision, layout, static_cast<int>(one.segments.size()));
      if (ratios != nullptr) {
        price.interval = Interval{price.seconds * ratios->low, price.seconds * ratios->high};
      }
    }
    return price;
  });
}

std::optional<CasePrice> CasePricer::price_part(const PricedCase& one, const Schedule& part) const {
  return profile_.traffic ? price_by_traffic(one, part) : std::nullopt;
}

namespace {

/// What to do about settings that are not those of the raw data.
std::string settings_to_give(const NamedNumbers& settings) {
  if (settings.empty()) return "leave its settings out";
  std::string text;
  for (const auto& [name, value] : settings) {
    constexpr int all_digits = 15;
    text += (text.empty() ? "set " : ", ") + name + '=' + short_number(value, all_digits);
  }
  return text;
}

/// A solver whose iterations have been counted, with what else its time is made of.
CountedSolver counted_case(const IterationCount& count, const OwnSolvers& own) {
  const auto found = own.find(count.solver);
  if (found == own.end()) return counted_solver(count);
  if (found->second.settings() != count.settings) {
    throw Error("solver '" + count.solver + "': the raw data has it with other settings; " +
                settings_to_give(count.settings));
  }
  return counted_solver(count, found->second.method());
}

/// The time to solution of a case, whose iteration is priced.
void price_solution(const PricedCase& one, const CasePricer& pricer, const DeviceProfile& profile,
                    const OwnSolvers& own, ValidationRow& row) {
  SolutionCase& solution = *row.solution;
  solution.predicted.reset();
  solution.interval.reset();
  if (!(row.predicted_seconds > 0) || !solution.count.solves()) return;
  const CountedSolver counted = counted_case(solution.count, own);
  const Solver solver = case_solver(row.schedule, own);
  Prediction prediction;
  prediction.layout = row.layout;
  prediction.precision = row.precision;
  if (!row.launch.empty()) prediction.launch = parse_launch_mode(row.launch);
  prediction.seconds_per_iteration = row.predicted_seconds;
  prediction.interval_seconds = row.interval_seconds;
  const SystemSize system{static_cast<double>(row.unknowns), static_cast<double>(row.nonzeros),
                          row.execution ? row.execution->persistent.halo : 0};
  add_setup(system, solver, row.segments, profile, !calls_libraries(solver), prediction);
  PricedCase part_case = one;
  if (part_case.launch == to_string(LaunchMode::persistent)) {
    part_case.launch = to_string(LaunchMode::graph);
  }
  const auto seconds_of = [&](const Solver& part) -> std::optional<double> {
    const std::optional<CasePrice> price = pricer.price_part(part_case, part.schedule);
    return price ? std::optional(price->seconds) : std::nullopt;
  };
  add_solve_seconds(&counted, system, ListedSolver(solver), profile, seconds_of, prediction);
  if (!prediction.total_seconds) return;
  const double start = *prediction.start_seconds;
  solution.predicted = SolutionParts{*prediction.conversion_seconds, *prediction.upload_seconds,
                                     start, *prediction.iterations_seconds - start};
  solution.interval = prediction.total_interval;
}

}  // namespace

void price_rows(std::span<ValidationRow> rows, const DeviceProfile& profile, std::string_view model,
                CurveKind curve, const OwnSolvers& own) {
  const CasePricer chosen(profile, model, curve, own);
  const CasePricer paper(profile, "paper", curve, own);
  for (ValidationRow& row : rows) {
    if (row.segments.empty()) {
      throw Error(row.matrix +
                  ": no shapes in this raw data, which is of version 1; measure again, or leave "
                  "out the profile to see it as it was priced then");
    }
    const PricedCase one{row.schedule,
                         row.launch,
                         row.layout,
                         row.precision,
                         row.segments,
                         row.access ? &*row.access : nullptr,
                         row.execution ? &*row.execution : nullptr,
                         row.work,
                         row.exchange};
    const std::optional<CasePrice> price = chosen.price(one);
    row.predicted_seconds = price ? price->seconds : 0;
    row.interval_seconds = price ? price->interval : std::nullopt;
    const std::optional<CasePrice> by_paper = paper.price(one);
    row.paper_seconds = by_paper ? by_paper->seconds : 0;
    const Schedule schedule = case_solver(row.schedule, own).schedule;
    row.working_set_bytes = 0;
    for (const SegmentShape& segment : row.segments) {
      row.working_set_bytes += working_set_bytes(schedule, segment, row.precision);
    }
    row.baseline_seconds =
        unless_missing([&] {
          return baseline_seconds(schedule, row.segments, profile, row.precision);
        }).value_or(0);
    row.roofline_seconds = 0;
    if (row.segments.size() == 1 && !row.launch.empty()) {
      row.roofline_seconds =
          unless_missing([&] {
            return roofline_seconds(
                schedule, parse_launch_mode(row.launch), row.segments.front(),
                row.execution ? row.execution->persistent : PersistentExecution{}, profile,
                row.precision);
          }).value_or(0);
    }
    row.regression_seconds = 0;
    if (row.solution) price_solution(one, chosen, profile, own, row);
  }
}

void price_data(ValidationData& data, const DeviceProfile& profile, std::string_view model,
                CurveKind curve, const OwnSolvers& own) {
  price_rows(data.rows, profile, model, curve, own);
  data.about["profile"] = profile.name;
  data.about["profile device"] = profile.device;
  const std::string priced_by(CasePricer(profile, model, curve).model());
  data.about["model"] = priced_by;
  data.about.erase("network");
  if (profile.network) data.about["network"] = profile.network->name;
  data.about.erase("curve");
  if (priced_by == "cache" || priced_by == "paper") {
    data.about["curve"] = to_string(curve);
  }
  require_forecasts(data);
}

}  // namespace sparsecast
