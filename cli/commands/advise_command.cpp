#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/commands.hpp"
#include "cli/counting/iteration_counts.hpp"
#include "cli/forecast_options.hpp"
#include "cli/forecast_subject.hpp"
#include "cli/layout_options.hpp"
#include "cli/matrix_source.hpp"
#include "cli/own_schedule.hpp"
#include "cli/reports/advice_report.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/prose.hpp"
#include "cli/reports/table.hpp"
#include "cli/reports/table_options.hpp"
#include "core/base/files/file_output.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "predict/advice/advice.hpp"
#include "predict/advice/advice_json.hpp"
#include "predict/profile_limits.hpp"
#include "predict/warning_lines.hpp"

namespace sparsecast::cli {

namespace {

CommandLine make_command_line() {
  namespace po = boost::program_options;
  CommandLine line(
      "advise", "(MATRIX | --unknowns X --elements E --block N) --profile P [--profile Q ...]",
      "Says how many devices of which profile to use: the fastest choice that keeps\n"
      "the parallel efficiency; choices that cannot be told apart go to fewer devices.\n"
      "A CPU counts as 0 GPUs. With --rtol also which solver, in which precision: what solves it\n"
      "first.",
      "sparsecast advise --unknowns 72000 --elements 39336485 --block 4 "
      "--profile gtx280 --max-devices 4\n"
      "  sparsecast inspect box.mtx --features box.features.json && "
      "sparsecast advise box.features.json --profile nvidia-h200");
  line.add()("matrix", po::value<std::string>(),
             (matrix_file_help() + "; or a features file (inspect --features)").c_str())(
      "profile,p", po::value<std::vector<std::string>>()->composing(),
      "profile: a .json file or a shipped name (gtx280); may be given several times")(
      "max-devices", po::value<int>(),
      "most devices to consider; default as many as a profile's machine has, 8 if unknown, 1024 "
      "with --network")(
      "min-efficiency", po::value<double>()->default_value(0.7, "0.7"),
      "parallel efficiency that a choice must keep: speedup for each device, over the fewest of "
      "the same profile that hold the matrix")(
      "iterations,k", po::value<WholeNumber>(),
      "iterations K: compare whole solves, with conversion and upload where profiles know them")(
      "precision", po::value<std::string>(), "f32 or f64; default f64 if all profiles have it")(
      "model", po::value<std::string>(),
      (one_of_models() + ", of every profile; default the best that each has").c_str())(
      "curve", po::value<std::string>()->default_value("average"),
      "average: what to expect; maximum: the best case; of other models than traffic")(
      "schedule", po::value<std::string>(),
      "a solver of your own, FILE.json (docs/schedules.md); default "
      "conjugate gradients");
  add_table_options(line);
  add_solver_options(line, true);
  add_host_call_option(line);
  add_count_options(line,
                    "compare times to solution, of all that differs: solver, preconditioner, "
                    "precision, layout, devices. Counts here how many iterations each solver takes "
                    "until ||b - Ax|| <= rtol ||b||, from x = 0. Without --solver all that fit; "
                    "without --precision both");
  add_layouts_option(line);
  add_network_options(line);
  line.add()("unknowns", po::value<WholeNumber>(), "instead of a matrix: its unknowns x")(
      "elements", po::value<WholeNumber>(),
      "instead of a matrix: the elements e that its layout stores, from N x to x^2");
  add_row_options(line);
  line.add()(
      "renumber", po::value<std::string>()->default_value("none"),
      "advise for MATRIX after a renumbering: none, random, rcm, hubs, or metis (for each number "
      "of devices; on one as given)")("json", "print an object with the choices");
  line.positional("matrix", 1);
  return line;
}

bool considers_several(const std::vector<DeviceProfile>& profiles, const AdviceRequest& request) {
  return request.max_devices != 1 && std::ranges::any_of(profiles, prices_several_devices);
}

/// Refuses options that would change nothing.
void check_choices(const CommandLine& line, const std::vector<DeviceProfile>& profiles,
                   const AdviceRequest& request) {
  for (const DeviceProfile& profile : profiles) require_curves(request.curve, profile);
  if (considers_several(profiles, request)) return;
  const std::string why = ": one device of each profile is all there is to consider";
  if (request.max_devices.value_or(1) > 1) {
    throw UsageError("--max-devices " + std::to_string(*request.max_devices) + why);
  }
  if (!line.defaulted("min-efficiency")) throw UsageError("--min-efficiency" + why);
}

struct Asked {
  std::string subject;
  Advice advice;
  std::vector<IterationCount> counts;  ///< of times to solution
};

/// That of --precision, or those that every profile has, in which x can be so exact, and of a
/// features file those that it has counts in.
std::vector<Precision> precisions_to_count(const CommandLine& line,
                                           const std::vector<DeviceProfile>& profiles,
                                           const CountOptions& options,
                                           const ForecastSubject& subject) {
  if (line.has("precision")) return {precision_of(line, profiles)};
  std::vector<Precision> precisions =
      comparable_precisions(options.rules.tolerance, profiles, subject.counted());
  if (precisions.empty()) precisions.push_back(precision_of(line, profiles));
  return precisions;
}

Asked advise_on(const CommandLine& line, const std::vector<DeviceProfile>& profiles,
                AdviceRequest request, const std::optional<CountOptions>& counting,
                SolversToCount solvers) {
  const Renumbering how = parse_renumbering_option("--renumber", line.get<std::string>("renumber"));
  const std::optional<SystemNumbers> numbers = numbers_of(line, request.layouts);
  if (!numbers) {
    if (!considers_several(profiles, request)) {
      require_several_devices(how, 1, line.has("max-devices") ? "--max-devices" : "--profile");
    }
    ForecastSubject subject(line.get<std::string>("matrix"), how);
    Asked asked{subject.text(), {}, {}};
    if (counting) {
      asked.counts = subject.counts(line, *counting, solvers,
                                    precisions_to_count(line, profiles, *counting, subject));
      request.counted = counted_solvers(asked.counts, solvers);
    } else {
      std::vector<Solver> own;
      if (request.own) own.push_back(*request.own);
      subject.check_needs(own, false);
    }
    asked.advice = subject.advise(profiles, request);
    return asked;
  }
  require_matrix_to_renumber(how);
  const std::string option = first_row_option(line);
  for (const DeviceProfile& profile : profiles) {
    if (!option.empty() && !profile.traffic) {
      throw UsageError(option + ": of the traffic model; profile " + profile.name +
                       " is priced by model " + std::string(profile.model()));
    }
    require_numbers(*numbers, profile);
  }
  return {to_string(*numbers),
          advise_numbers(numbers->unknowns, numbers->elements, numbers->layout, profiles, request,
                         numbers->rows),
          {}};
}

void print_report(const Asked& asked, const std::vector<DeviceProfile>& profiles,
                  const AdviceRequest& request, TableStyle style, std::ostream& out) {
  const Advice& advice = asked.advice;
  std::string subject = asked.subject;
  if (asked.counts.empty()) subject += "; " + std::string(to_string(request.precision));
  // The traffic model has no curves.
  if (std::ranges::any_of(advice.choices,
                          [](const DeviceChoice& choice) { return !choice.prediction.traffic; })) {
    subject += request.curve == CurveKind::average ? ", average curves" : ", maximum curves";
  }
  print_line(out, subject, style);
  for (const DeviceProfile& profile : profiles) {
    if (!profile.estimated) continue;
    print_line(out, "profile " + profile.name + ": " + origin_text(profile), style);
  }
  if (const Network* network = common_network(profiles)) out << network_text(*network) << '\n';
  out << '\n';
  if (!asked.counts.empty()) {
    print_counts(out, asked.counts, style);
    out << '\n';
  }
  advice_table(advice, request.iterations).print(out, style);
  out << '\n';
  const std::vector<std::string> sentences = advice_sentences(advice, request.iterations);
  for (const std::string& sentence : sentences) out << sentence << '\n';
}

int run_advise(const CommandLine& line) {
  const TableStyle style = table_style(line);
  CommandFiles files;
  name_inputs(line, files);
  files.writes(line, "csv");
  files.check(line.has("json"));
  AdviceRequest request;
  if (line.has("max-devices")) {
    request.max_devices = line.get<int>("max-devices");
    require_device_count("--max-devices", *request.max_devices);
  }
  request.min_efficiency = line.get<double>("min-efficiency");
  if (!(request.min_efficiency > 0 && request.min_efficiency <= 1)) {
    throw UsageError("--min-efficiency: expected more than 0 and at most 1");
  }
  request.iterations = iterations_of(line);
  request.layouts = layouts_of(line);
  request.curve = parse_curve("--curve", line.get<std::string>("curve"));
  const std::vector<DeviceProfile> profiles = read_profiles(line);
  request.precision = precision_of(line, profiles);
  const std::optional<CountOptions> counting = count_options(line);
  if (counting) require_countable(profiles, line.has("unknowns") || line.has("elements"));
  if (line.has("schedule") && !has_schedule_file(line)) {
    throw UsageError("--schedule " + line.get<std::string>("schedule") +
                     ": expected a file that ends with .json");
  }
  SolversToCount solvers;
  if (counting) {
    solvers = solvers_to_count(line, {}, true);
  } else if (const std::optional<OwnSchedule> own = uncounted_schedule(line)) {
    request.own = own->priced();
  }
  check_choices(line, profiles, request);
  const std::string cycles = cycles_text(own_schedules(line, true, counting.has_value()));
  if (!cycles.empty()) warn(cycles);
  const Asked asked = advise_on(line, profiles, request, counting, std::move(solvers));

  std::vector<Prediction> forecasts;
  for (const DeviceChoice& choice : asked.advice.choices) forecasts.push_back(choice.prediction);
  for (const std::string& warning : warning_lines(forecasts)) warn(warning);
  if (line.has("csv")) write_rows(line.get<std::string>("csv"), choices_to_json(asked.advice));
  if (line.has("json")) {
    std::cout << json_head("advise")
                     .add_members(asked_to_json(line, profiles, request.precision, request.curve))
                     .add_members(to_json(asked.advice))
                     .lines();
  } else {
    const bool prints_file = is_standard_output(line.get_or("csv", ""));
    print_report(asked, profiles, request, style, prints_file ? std::cerr : std::cout);
  }
  return 0;
}

}  // namespace

extern const Command advise_command{"advise", "how many devices of which kind to use",
                                    make_command_line, run_advise};

}  // namespace sparsecast::cli
