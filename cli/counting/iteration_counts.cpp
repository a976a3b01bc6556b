#include "cli/counting/iteration_counts.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "cli/counting/right_hand_side.hpp"
#include "cli/interrupt.hpp"
#include "cli/own_schedule.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/prose.hpp"
#include "cli/reports/solver_meaning.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/verbosity.hpp"
#include "core/base/error.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "predict/counting/count_outcomes.hpp"

namespace sparsecast::cli {
namespace {

/// "1e-08"
std::string tolerance_text(double tolerance) {
  return format_number(tolerance, "%g");
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

std::string outcome_text(const IterationCount& count) {
  if (count.outcome != Outcome::converged) return std::string(count.outcome_name());
  if (!count.solves()) {
    return "converged for " + std::to_string(count.converged) + " of " + std::to_string(count.runs);
  }
  if (count.runs < 2) return "converged, one run";
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
  if (is_countable(tolerance)) return;
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
  CountRules rules;
  rules.tolerance = line.get<double>("rtol");
  require_countable_tolerance(rules.tolerance);
  rules.max_iterations = positive_whole_of(line, "max-iterations", 0);
  rules.seconds = count_seconds(line);
  rules.right_hand_side = line.get<std::string>("rhs");
  return CountOptions{std::move(rules), line.get<std::string>("count-on")};
}

void require_countable(std::span<const DeviceProfile> profiles, bool of_numbers) {
  if (of_numbers) {
    throw UsageError(
        "--rtol: --unknowns has no entries to count with; give MATRIX, or --iterations");
  }
  const DeviceProfile* profile = first_uncountable(profiles);
  if (profile == nullptr) return;
  throw UsageError("--rtol: of the traffic model; profile " + profile->name +
                   " is priced by model " + std::string(profile->model()) + "; give --iterations");
}

SolversToCount solvers_to_count(const CommandLine& line, std::vector<std::string> ours,
                                bool all_by_default) {
  SolversToCount solvers;
  solvers.own = own_schedules(line, true, all_by_default);
  solvers.ours = std::move(ours);
  if (takes_all_solvers(line, all_by_default) || names_fused(line)) {
    solvers.ours = {fused_cg().name()};
  }
  return solvers;
}

void leave_out_symmetric(const std::string& path, SolversToCount& solvers) {
  const std::string left_out = sparsecast::leave_out_symmetric(path, solvers, {});
  if (!left_out.empty()) warn(left_out);
}

std::vector<IterationCount> count_iterations(const CommandLine& line, const CountOptions& options,
                                             const CsrView<double>& matrix,
                                             const SolversToCount& solvers,
                                             std::span<const Precision> precisions) {
  const Phase phase("counting iterations to " + tolerance_text(options.rules.tolerance));
  const auto backend = open_device(options.device, 0, {}, "--count-on");
  std::vector<double> b = right_hand_side(line, matrix.rows);
  const InterruptGuard guard;
  Progress progress("count");
  std::string solver;
  CountMonitor monitor;
  monitor.proceed = [&](const CountProgress& so_far) {
    solver = so_far.solver;
    progress.update(so_far.done, solver + " in " + std::string(to_string(so_far.precision)) +
                                     ", iteration " + format_count(so_far.iterations));
    return !InterruptGuard::interrupted();
  };
  monitor.left_out = [](const std::string& why) { warn(why + "; left out"); };
  std::optional<std::vector<IterationCount>> counts = sparsecast::count_iterations(
      *backend, matrix, std::move(b), solvers, precisions, options.rules, monitor);
  if (!counts) throw Interrupted("interrupted while iterations of " + solver + " were counted");
  return *std::move(counts);
}

std::vector<IterationCount> find_counts(const CommandLine& line, const CountRules& rules,
                                        const ForecastFeatures& features,
                                        const SolversToCount& solvers,
                                        std::span<const Precision> precisions) {
  for (const char* option : {"count-on", "count-seconds", "max-iterations"}) {
    if (!line.given(option)) continue;
    throw UsageError("--" + std::string(option) + ": " + features.source +
                     " has its counts; leave it out");
  }
  return sparsecast::find_counts(features, solvers, precisions, rules, {},
                                 "sparsecast inspect MATRIX --features FILE --rtol " +
                                     tolerance_text(rules.tolerance) + solver_options_text(line));
}

void require_one_solves(const std::string& path, std::span<const IterationCount> counts) {
  if (counts.size() > 1 && !why_none_solves(counts, {}).empty()) print_counts(std::cerr, counts);
  sparsecast::require_one_solves(path, counts, {});
}

void warn_of_counts(const std::string& path, std::span<const IterationCount> counts) {
  for (const std::string& warning : warnings_of_counts(path, counts, {})) warn(warning);
}

Table counts_table(std::span<const IterationCount> counts) {
  const std::vector<TableColumn> columns{TableColumn::of_names("solver"), TableColumn("precision"),
                                         TableColumn("iterations"),
                                         TableColumn("||b - Ax|| / ||b||"), TableColumn("outcome")};
  Table table(columns);
  for (const IterationCount& count : counts) {
    table.add_row({count.solver, std::string(to_string(count.precision)), iterations_text(count),
                   format_number(count.relative_residual), outcome_text(count)});
  }
  return table;
}

std::string meaning_of_counted(std::span<const IterationCount> counts) {
  for (const IterationCount& count : counts) {
    if (std::string meaning = solver_meaning(count.solver); !meaning.empty()) return meaning;
  }
  return "";
}

void print_counts(std::ostream& out, std::span<const IterationCount> counts, TableStyle style) {
  const int runs = std::ranges::max(counts, {}, &IterationCount::runs).runs;
  std::string text = "Iterations to " + tolerance_text(counts.front().tolerance) +
                     ", counted for b = " + counts.front().right_hand_side;
  const bool spreads = std::ranges::any_of(
      counts, [](const IterationCount& each) { return each.solves() && each.fewest < each.most; });
  if (spreads) {
    text += "; in brackets the fewest and most of " + std::to_string(runs) +
            " right-hand sides that differ by rounding, whose middle forecasts take";
  }
  print_paragraph(out, text + ':', style);
  counts_table(counts).print(out, style);
  const std::string meaning = meaning_of_counted(counts);
  if (!meaning.empty()) out << meaning << ".\n";
}

}  // namespace sparsecast::cli
