#include "cli/commands/bench/fusion/fusion_rules.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/bench/fusion/fusion_solvers.hpp"
#include "cli/commands/bench/fusion/measure_fusion.hpp"
#include "cli/commands/bench/paper/numbers.hpp"
#include "core/base/text/short_number.hpp"
#include "core/workload/launch_mode.hpp"

namespace sparsecast::cli {
namespace {

/// What a paper calls twice, or almost.
constexpr double almost_twice = 1.8;

std::string host_launch(const FusionResults& results) {
  return results.is_gpu() ? std::string(to_string(LaunchMode::host)) : "";
}

/// Empty where it was measured.
std::string missing_of(const FusionMeasurement* m, const std::string& what) {
  if (m == nullptr) return what + " was not measured";
  return m->measured() ? "" : what + ": " + m->reason;
}

std::string times_text(double ratio) {
  return short_number(ratio) + " times";
}

/// Of an iteration of pipelined and textbook CG in all sizes of Figure 1; empty: nothing.
std::string missing_of_figure1(const FusionResults& results) {
  for (const std::int64_t size : figure1_sizes()) {
    for (const std::string_view solver : {six_kernels, pipelined}) {
      const std::string missing =
          missing_of(results.iteration(size, solver, host_launch(results)),
                     std::string(solver) + " at " + std::to_string(size) + " unknowns by the host");
      if (!missing.empty()) return missing;
    }
  }
  return "";
}

/// Gains in the sizes of Figure 1 alone, whatever else was measured.
std::vector<Gain> figure1_gains(const FusionResults& results, std::string_view solver,
                                std::string_view launch) {
  std::vector<Gain> all = gains(results, solver, launch);
  std::erase_if(
      all, [](const Gain& each) { return std::ranges::count(figure1_sizes(), each.size) == 0; });
  return all;
}

/// The solves of a system; solvers in their order.
std::vector<const FusionMeasurement*> solves_of(const FusionResults& results,
                                                const std::string& system) {
  std::vector<const FusionMeasurement*> solves;
  for (const FusionSolver& solver : fusion_solvers()) {
    solves.push_back(results.solve(system, solver.name));
  }
  return solves;
}

bool all_measured(const std::vector<const FusionMeasurement*>& solves) {
  return std::ranges::all_of(
      solves, [](const FusionMeasurement* m) { return m != nullptr && m->measured(); });
}

constexpr double never = std::numeric_limits<double>::infinity();

/// Seconds of a solve, which takes for ever where it does not come to its end.
double solved_seconds(const FusionMeasurement& m) {
  return is_solved(m) ? m.seconds : never;
}

std::string counts_text(const FusionMeasurement& m) {
  std::string text = m.solver + ": kernels " + std::to_string(m.counted.kernels) + ", waits " +
                     std::to_string(m.counted.waits);
  if (m.launches > 0) {
    text += " (as it ran " + short_number(m.launches) + " and " + short_number(m.host_waits) + ')';
  }
  return text;
}

}  // namespace

Finding two_kernels_and_one_wait(const FusionResults& results) {
  const auto any_of = [&](std::string_view solver) -> const FusionMeasurement* {
    for (const std::int64_t size : results.sizes()) {
      const FusionMeasurement* m = results.iteration(size, solver, host_launch(results));
      if (m != nullptr && m->measured()) return m;
    }
    return nullptr;
  };
  const FusionMeasurement* two = any_of(pipelined);
  const FusionMeasurement* six = any_of(six_kernels);
  for (const FusionMeasurement* m : {two, six}) {
    if (m == nullptr) return not_comparable("no iteration that the host launches was measured");
  }
  std::vector<std::string> faults;
  if (two->counted.kernels != 2) {
    faults.push_back("pipelined-cg takes " + std::to_string(two->counted.kernels) + " kernels");
  }
  if (two->counted.waits != 1) {
    faults.push_back("pipelined-cg waits " + std::to_string(two->counted.waits) + " times");
  }
  if (six->counted.kernels != 6 || six->counted.waits != 2) {
    faults.emplace_back("the textbook's are not six kernels and two waits");
  }
  for (const FusionMeasurement* m : {two, six}) {
    const bool runs_as_counted =
        m->launches == m->counted.kernels && m->host_waits == m->counted.waits;
    if (results.is_gpu() && !runs_as_counted) faults.push_back(m->solver + " runs otherwise");
  }
  return found(faults.empty(), counts_text(*two) + "; " + counts_text(*six), list_text(faults));
}

Finding pipelined_is_twice_as_fast(const FusionResults& results) {
  const std::string missing = missing_of_figure1(results);
  if (!missing.empty()) return not_comparable(missing);
  const auto largest_gain = [&](std::string_view solver, LaunchMode launch) {
    double most = 0;
    for (const Gain& each : figure1_gains(results, solver, to_string(launch))) {
      most = std::max(most, each.gain);
    }
    return most;
  };
  const double by_host = largest_gain(pipelined, LaunchMode::host);
  std::string text = times_text(by_host) + " at most";
  if (const double gain = largest_gain(pipelined, LaunchMode::graph); gain > 0) {
    text += "; by graph " + short_number(gain);
  }
  if (const double gain = largest_gain(ours, LaunchMode::host); gain > 0) {
    text += "; our fused " + short_number(gain);
  }
  return found(by_host >= almost_twice, text, "less than 1.8 times as fast in all sizes");
}

Finding small_systems_gain(const FusionResults& results) {
  constexpr double least_end = 31'623;  // 10^4.5
  constexpr double most_end = 316'228;
  const std::string missing = missing_of_figure1(results);
  if (!missing.empty()) return not_comparable(missing);
  const std::vector<Gain> by_host = figure1_gains(results, pipelined, to_string(LaunchMode::host));
  const std::optional<double> end = gain_ends(by_host);
  std::string text;
  for (const Gain& each : by_host) {
    text += (text.empty() ? "" : ", ") + short_number(each.gain) + " at " +
            short_number(static_cast<double>(each.size));
  }
  text += end ? "; 1.3 at " + short_number(*end) : "; nowhere below 1.3";
  if (!end) return found(false, text, "the gain does not end");
  if (by_host.front().gain < counted_gain) {
    return found(false, text, "small systems gain less than 1.3 times");
  }
  return found(
      least_end <= *end && *end <= most_end, text,
      *end < least_end ? "the gain ends at fewer unknowns" : "the gain ends at more unknowns");
}

Finding fused_dots_double_bandwidth(const FusionResults& results) {
  const std::string graph(to_string(LaunchMode::graph));
  const FusionMeasurement* one = results.dots(figure2_size, figure2_basis, 1, graph);
  std::string missing = missing_of(one, "single dot products with 50 vectors of 10^6 values");
  if (!missing.empty()) return not_comparable(missing);
  const FusionMeasurement* best = nullptr;
  std::string text;
  std::vector<int> passes = measured_dots();
  passes.push_back(figure2_basis);
  for (const int dots : passes) {
    if (dots == 1) continue;
    const FusionMeasurement* m = results.dots(figure2_size, figure2_basis, dots, graph);
    missing = missing_of(m, std::to_string(dots) + " dot products a pass");
    if (!missing.empty()) return not_comparable(missing);
    if (best == nullptr || m->seconds < best->seconds) best = m;
  }
  const double ratio = one->seconds / best->seconds;
  text = times_text(ratio) + ", " + std::to_string(best->dots) + " a pass; " +
         short_number(one->counted.values / best->counted.values) + " by values moved";
  return found(ratio >= almost_twice, text, "single dot products lose less by reading w again");
}

Finding gram_schmidt_is_twice_as_fast(const FusionResults& results) {
  const std::string graph(to_string(LaunchMode::graph));
  const FusionMeasurement* single = results.step(figure2_size, figure2_basis, "gmres-blas1", graph);
  const FusionMeasurement* fused = results.step(figure2_size, figure2_basis, "gmres", graph);
  for (const auto& [m, name] : {std::pair{single, "gmres-blas1"}, {fused, "gmres"}}) {
    const std::string missing =
        missing_of(m, std::string("a step of ") + name + " with 50 vectors of 10^6 values");
    if (!missing.empty()) return not_comparable(missing);
  }
  const double ratio = single->seconds / fused->seconds;
  std::string text = times_text(ratio) + "; " +
                     short_number(single->counted.values / fused->counted.values) +
                     " by values moved (" + short_number(single->counted.values) + " and " +
                     short_number(fused->counted.values) + " an unknown)";
  return found(ratio >= almost_twice, text, "less than 1.8 times as fast");
}

Finding unpreconditioned_competes(const FusionResults& results) {
  constexpr std::int64_t least_rows = 10'000;
  constexpr std::int64_t most_rows = 1'000'000;
  constexpr double as_fast = 1.1;
  std::vector<double> ratios;
  for (const std::string& system : results.systems()) {
    const std::vector<const FusionMeasurement*> solves = solves_of(results, system);
    if (!all_measured(solves)) continue;
    const std::int64_t rows = solves.front()->rows;
    // Sides of grids are rounded.
    const std::int64_t size = solves.front()->size > 0 ? solves.front()->size : rows;
    if (size < least_rows || size > most_rows) continue;
    const double plain = std::min(solved_seconds(*results.solve(system, six_kernels)),
                                  solved_seconds(*results.solve(system, pipelined)));
    const double jacobi = solved_seconds(*results.solve(system, ours));
    if (plain < never || jacobi < never) ratios.push_back(plain / jacobi);
  }
  if (ratios.empty()) {
    return not_comparable("no system of 10^4 to 10^6 unknowns was solved");
  }
  const double median = median_of(ratios);
  const auto competes = static_cast<std::size_t>(
      std::ranges::count_if(ratios, [](double r) { return r <= as_fast; }));
  return found(median <= as_fast,
               short_number(median) + " times as long in the median; competes on " +
                   count_text(competes, ratios.size()),
               "Jacobi's preconditioner saves more iterations than it costs");
}

Finding recurrence_is_harmless(const FusionResults& results) {
  constexpr double tolerance = 1.05;
  std::vector<double> ratios;
  std::vector<std::string> harmed;
  std::size_t systems = 0;
  for (const std::string& system : results.systems()) {
    const FusionMeasurement* textbook = results.solve(system, six_kernels);
    const FusionMeasurement* recurrence = results.solve(system, pipelined);
    if (textbook == nullptr || recurrence == nullptr) continue;
    if (!textbook->measured() || !recurrence->measured() || !is_solved(*textbook)) continue;
    const double ratio = static_cast<double>(recurrence->iterations) /
                         static_cast<double>(std::max<std::int64_t>(1, textbook->iterations));
    ++systems;
    if (is_solved(*recurrence)) ratios.push_back(ratio);
    if (!is_solved(*recurrence)) {
      harmed.push_back(system + " is not solved (" + recurrence->outcome + ')');
    } else if (ratio > tolerance) {
      harmed.push_back(system + " takes " + times_text(ratio) + " as many iterations");
    }
  }
  if (systems == 0) return not_comparable("no system was solved by the textbook's");
  std::string text = count_text(ratios.size(), systems) + " systems";
  if (!ratios.empty()) {
    text += ", " + short_number(least_of(ratios), 4) + " to " + short_number(most_of(ratios), 4) +
            " times as many iterations";
  }
  return found(harmed.empty(), text, list_text(harmed));
}

}  // namespace sparsecast::cli
