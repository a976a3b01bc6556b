#include "cli/counting/iteration_counts.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>

#include "cli/counting/right_hand_side.hpp"
#include "cli/interrupt.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table.hpp"
#include "core/base/error.hpp"
#include "core/engine/iteration_counter.hpp"
#include "core/schedule/built_in_solvers.hpp"

namespace sparsecast::cli {
namespace {

/// "1e-08"
std::string tolerance_text(double tolerance) {
  return format_number(tolerance, "%g");
}

/// A count under another name: all of ours are the same method.
IterationCount named(IterationCount count, const std::string& name) {
  count.solver = name;
  return count;
}

/// Gives what was counted of our conjugate gradients to each of ours that is asked for.
void add_ours(const IterationCount& count, const SolversToCount& solvers,
              std::vector<IterationCount>& counts) {
  for (const std::string& name : solvers.ours) counts.push_back(named(count, name));
}

bool fits(const IterationCount& count, const CountOptions& options, Precision precision,
          const std::string& solver, const NamedNumbers& settings) {
  return count.solver == solver && count.settings == settings && count.precision == precision &&
         count.tolerance == options.tolerance && count.right_hand_side == options.right_hand_side;
}

/// The options that named solvers, as they were given.
std::string solver_options_text(const CommandLine& line) {
  std::string text;
  for (const char* option : {"solver", "schedule", "precondition"}) {
    if (line.has(option)) text += " --" + std::string(option) + ' ' + line.get<std::string>(option);
  }
  if (line.has("restart")) {
    text += " --restart " + std::to_string(line.get<WholeNumber>("restart").value);
  }
  if (line.has("set")) {
    for (const std::string& each : line.get<std::vector<std::string>>("set"))
      text += " --set " + each;
  }
  if (!line.defaulted("rhs")) text += " --rhs " + line.get<std::string>("rhs");
  return text;
}

const IterationCount& found(const CommandLine& line, const CountOptions& options,
                            const ForecastFeatures& features, Precision precision,
                            const std::string& solver, const NamedNumbers& settings) {
  const auto place = std::ranges::find_if(features.counts, [&](const IterationCount& count) {
    return fits(count, options, precision, solver, settings);
  });
  if (place != features.counts.end()) return *place;
  throw Error(
      features.source + ": has no iterations of " + solver + " to " +
      tolerance_text(options.tolerance) + " in " + std::string(to_string(precision)) +
      " for --rhs " + options.right_hand_side + " with these settings" +
      "; count them where the matrix is: sparsecast inspect MATRIX --features FILE --rtol " +
      tolerance_text(options.tolerance) + solver_options_text(line));
}

std::string outcome_text(const IterationCount& count) {
  if (count.out_of_time) return "out of time";
  if (count.outcome != Outcome::converged) return std::string(to_string(count.outcome));
  if (!count.solves()) {
    return "converged for " + std::to_string(count.converged) + " of " + std::to_string(count.runs);
  }
  if (count.runs < 2) return "converged, spread not known";
  return count.is_stable() ? "converged" : "converged, unstable";
}

std::string iterations_text(const IterationCount& count) {
  if (count.solves()) return count.text();
  const bool ran_out = count.outcome == Outcome::iteration_limit;
  return (ran_out ? "more than " : "ended after ") + std::to_string(count.iterations);
}

}  // namespace

void add_count_options(CommandLine& line, const char* meaning) {
  namespace po = boost::program_options;
  line.add()("rtol", po::value<double>(), meaning);
  add_right_hand_side_option(line);
  line.add()("max-iterations", po::value<WholeNumber>(),
             "of --rtol: where a count ends; default ten times the unknowns")(
      "count-on", po::value<std::string>()->default_value("cpu"),
      "of --rtol: the device here that counts, as cpu or cuda:0");
  add_count_seconds(line);
}

void add_count_seconds(CommandLine& line) {
  line.add()("count-seconds", boost::program_options::value<double>()->default_value(60, "60"),
             "seconds for all counts together; a solver that is not done when its share is up is "
             "left out");
}

double count_seconds(const CommandLine& line) {
  return positive_of(line, "count-seconds", 60, 1e9);
}

void name_inputs(const CommandLine& line, CommandFiles& files) {
  for (const char* option : {"matrix", "profile"}) {
    if (line.has(option)) files.reads(line, option);
  }
  if (has_schedule_file(line)) files.reads(line, "schedule");
  if (const std::string rhs = right_hand_side_file(line); !rhs.empty()) files.reads("--rhs", rhs);
}

void require_countable_tolerance(double tolerance) {
  if (tolerance > 0 && tolerance < 1) return;
  throw UsageError("--rtol: expected more than 0 and less than 1");
}

std::optional<CountOptions> count_options(const CommandLine& line) {
  if (!line.has("rtol")) {
    for (const char* option : {"rhs", "count-on", "count-seconds", "max-iterations"}) {
      if (!line.given(option)) continue;
      throw UsageError("--" + std::string(option) + " is for --rtol, which is missing");
    }
    return std::nullopt;
  }
  if (line.has("iterations")) {
    throw UsageError("--iterations and --rtol, which counts them: expected one of them");
  }
  CountOptions options;
  options.tolerance = line.get<double>("rtol");
  require_countable_tolerance(options.tolerance);
  options.max_iterations = positive_whole_of(line, "max-iterations", 0);
  options.seconds = count_seconds(line);
  options.right_hand_side = line.get<std::string>("rhs");
  options.device = line.get<std::string>("count-on");
  return options;
}

void require_countable(std::span<const DeviceProfile> profiles, bool of_numbers) {
  if (of_numbers) {
    throw UsageError(
        "--rtol: --unknowns has no entries to count with; give MATRIX, or --iterations");
  }
  for (const DeviceProfile& profile : profiles) {
    if (profile.traffic) continue;
    throw UsageError("--rtol: of the traffic model; profile " + profile.name +
                     " is priced by model " + std::string(profile.model()) + "; give --iterations");
  }
}

SolversToCount solvers_to_count(const CommandLine& line, std::vector<std::string> ours,
                                bool all_by_default) {
  SolversToCount solvers;
  solvers.own = own_schedules(line, true, all_by_default);
  solvers.ours = std::move(ours);
  if (takes_all_solvers(line, all_by_default)) solvers.ours = {fused_cg().name()};
  return solvers;
}

void leave_out_symmetric(const std::string& path, SolversToCount& solvers) {
  std::string names;
  const auto leave_out = [&](const std::string& name) {
    names += (names.empty() ? "" : ", ") + name;
  };
  std::ranges::for_each(solvers.ours, leave_out);
  solvers.ours.clear();
  for (const OwnSchedule& each : solvers.own) {
    if (each.method.needs != MatrixKind::square) leave_out(each.method.name);
  }
  std::erase_if(solvers.own,
                [](const OwnSchedule& each) { return each.method.needs != MatrixKind::square; });
  if (names.empty()) return;
  const std::string what = path + " is not symmetric: ";
  if (solvers.own.empty()) throw Error(what + names + " cannot solve with it; use --solver all");
  warn(what + "left out, as they cannot solve with it: " + names);
}

std::vector<IterationCount> count_iterations(const CommandLine& line, const CountOptions& options,
                                             const CsrView<double>& matrix,
                                             const SolversToCount& solvers,
                                             std::span<const Precision> precisions) {
  const std::size_t ours = solvers.ours.empty() ? 0 : 1;
  const double all = static_cast<double>((solvers.own.size() + ours) * precisions.size());
  const auto backend = open_device(options.device, 0, {});
  IterationCounter counter(*backend, matrix, right_hand_side(line, matrix.rows),
                           options.right_hand_side);
  using Clock = std::chrono::steady_clock;
  std::vector<IterationCount> counts;
  const InterruptGuard guard;
  Progress progress("count");
  double fastest = std::numeric_limits<double>::infinity();
  double done = 0;
  double left = options.seconds;
  const auto count = [&](const OwnSchedule* own, Precision precision) {
    const std::string name = own != nullptr ? own->method.name : fused_cg().name();
    CountedRun run;
    if (own != nullptr) run = {&own->method, own->settings};
    run.precision = precision;
    run.tolerance = options.tolerance;
    run.max_iterations = options.max_iterations;
    // Twice an equal share of what is left; of solvers that compete, none needs ten times the
    // fastest's time.
    run.most_seconds = left / std::max(1.0, (all - done) / 2);
    if (options.compete) run.most_seconds = std::min(run.most_seconds, std::max(1.0, 10 * fastest));
    const auto begin = Clock::now();
    run.keep_going = [&](const SolveProgress& so_far) {
      progress.update((done + 0.5) / all, name + " in " + std::string(to_string(precision)) +
                                              ", iteration " + format_count(so_far.iterations));
      return !InterruptGuard::interrupted();
    };
    const CountedSolve counted = counter.count(run);
    left -= std::chrono::duration<double>(Clock::now() - begin).count();
    if (InterruptGuard::interrupted()) {
      throw Interrupted("interrupted while iterations of " + name + " were counted");
    }
    ++done;
    if (counted.count.solves()) fastest = std::min(fastest, counted.seconds);
    return counted.count;
  };
  for (const Precision precision : precisions) {
    if (ours > 0) add_ours(count(nullptr, precision), solvers, counts);
    for (const OwnSchedule& own : solvers.own) {
      try {
        counts.push_back(count(&own, precision));
      } catch (const Interrupted&) {
        throw;
      } catch (const Error& error) {
        // One of several that cannot run leaves the others.
        if (all == 1) throw;
        warn(std::string(error.what()) + "; left out");
        ++done;
      }
    }
  }
  if (counts.empty()) throw Error("no solver could be run; name another one");
  return counts;
}

std::vector<IterationCount> find_counts(const CommandLine& line, const CountOptions& options,
                                        const ForecastFeatures& features,
                                        const SolversToCount& solvers,
                                        std::span<const Precision> precisions) {
  for (const char* option : {"count-on", "count-seconds", "max-iterations"}) {
    if (!line.given(option)) continue;
    throw UsageError("--" + std::string(option) + ": " + features.source +
                     " has its counts; leave it out");
  }
  std::vector<IterationCount> counts;
  for (const Precision precision : precisions) {
    if (!solvers.ours.empty()) {
      add_ours(found(line, options, features, precision, fused_cg().name(), {}), solvers, counts);
    }
    for (const OwnSchedule& own : solvers.own) {
      counts.push_back(found(line, options, features, precision, own.method.name, own.settings));
    }
  }
  return counts;
}

std::vector<Precision> countable_precisions(const CountOptions& options) {
  std::vector<Precision> precisions{Precision::f64};
  // A residual below the rounding of x itself is reached by none.
  if (options.tolerance >= static_cast<double>(std::numeric_limits<float>::epsilon())) {
    precisions.push_back(Precision::f32);
  }
  return precisions;
}

void require_one_solves(const std::string& path, std::span<const IterationCount> counts) {
  std::vector<CountedSolver> counted;
  for (const IterationCount& count : counts) counted.push_back({count});
  const std::string why = why_none_solves(counted);
  if (why.empty()) return;
  if (counts.size() > 1) print_counts(std::cerr, counts);
  throw Error(path + ": " + why);
}

std::vector<CountedSolver> counted_solvers(std::span<const IterationCount> counts,
                                           const SolversToCount& solvers) {
  std::vector<CountedSolver> counted;
  for (const IterationCount& count : counts) {
    const auto own = std::ranges::find(solvers.own, count.solver,
                                       [](const OwnSchedule& each) { return each.method.name; });
    counted.push_back(own != solvers.own.end() ? counted_solver(count, own->method)
                                               : counted_solver(count));
  }
  return counted;
}

void warn_of_counts(const std::string& path, std::span<const IterationCount> counts) {
  for (const IterationCount& count : counts) {
    if (count.outcome != Outcome::converged || count.is_stable()) continue;
    const std::string what =
        path + ": iterations of " + count.solver + " in " + std::string(to_string(count.precision));
    if (!count.solves()) {
      warn(what + " depend on rounding: " + std::to_string(count.converged) + " of " +
           std::to_string(count.runs) + " right-hand sides converged; left out");
    } else if (count.runs < 2) {
      warn(what + ": no time was left to see how rounding moves them; raise --count-seconds");
    } else {
      warn(what + " depend on rounding: " + count.text() + "; another device may take others");
    }
  }
}

Table counts_table(std::span<const IterationCount> counts) {
  Table table({"solver", "precision", "iterations", "||b - Ax|| / ||b||", "outcome"});
  for (const IterationCount& count : counts) {
    table.add_row({count.solver, std::string(to_string(count.precision)), iterations_text(count),
                   format_number(count.relative_residual), outcome_text(count)});
  }
  return table;
}

void print_counts(std::ostream& out, std::span<const IterationCount> counts, TableStyle style) {
  const int runs = std::ranges::max(counts, {}, &IterationCount::runs).runs;
  out << "Iterations to " << tolerance_text(counts.front().tolerance)
      << ", counted for b = " << counts.front().right_hand_side;
  const bool spreads = std::ranges::any_of(
      counts, [](const IterationCount& each) { return each.solves() && each.fewest < each.most; });
  if (spreads) {
    out << "; in brackets the fewest and most of " << runs
        << " right-hand sides that differ by rounding";
  }
  out << ":\n";
  if (style == TableStyle::markdown) out << '\n';
  counts_table(counts).print(out, style);
}

}  // namespace sparsecast::cli
