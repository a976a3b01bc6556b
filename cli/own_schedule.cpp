#include "cli/own_schedule.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "cli/reports/solver_meaning.hpp"
#include "core/base/text/name_list.hpp"
#include "core/base/text/nearest_name.hpp"
#include "core/base/text/short_number.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/method/check_method.hpp"
#include "core/schedule/method/method_json.hpp"
#include "core/schedule/method/preconditioner.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"

namespace sparsecast::cli {
namespace {

Execution execution_of(const CommandLine& line) {
  const std::string name = line.get_or("execution", "fused");
  if (name == "fused") return Execution::fused;
  if (name == "step-by-step") return Execution::step_by_step;
  throw UsageError("--execution: '" + name + "'; expected fused or step-by-step");
}

/// Those of --set.
NamedNumbers settings_of(const CommandLine& line) {
  NamedNumbers settings;
  if (!line.has("set")) return settings;
  for (const std::string& setting : line.get<std::vector<std::string>>("set")) {
    std::string_view value = setting;
    const std::string name(take_until(value, '='));
    double number = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
    if (name.empty() || read.ec != std::errc() || read.ptr != value.data() + value.size() ||
        !std::isfinite(number)) {
      throw UsageError("--set " + setting + ": expected NAME=NUMBER, as m=30");
    }
    if (!settings.emplace(name, number).second) {
      throw UsageError("--set " + setting + ": " + name + " is given twice; give it once");
    }
  }
  return settings;
}

/// Throws `UsageError` for a --set of what is no parameter.
void require_parameters(const OwnSchedule& own) {
  std::vector<std::string> known;
  for (const Parameter& parameter : own.method.parameters) known.push_back(parameter.name);
  for (const auto& [name, value] : own.settings) {
    if (std::ranges::count(known, name) > 0) continue;
    throw UsageError("--set " + name + ": schedule " + in_quotes(own.method.name) +
                     " has no parameter " + in_quotes(name) + "; " + hint_of_name(name, known));
  }
}

bool has_restart(const OwnSchedule& each) {
  return each.method.roles.contains("restart");
}

/// Gives --restart to those that have one.
void set_restart(const CommandLine& line, std::span<OwnSchedule> solvers) {
  if (!line.has("restart")) return;
  const std::int64_t restart = line.get<WholeNumber>("restart").value;
  const std::string option = "--restart " + std::to_string(restart) + ": ";
  if (restart < 1) throw UsageError(option + "expected at least 1");
  if (std::ranges::none_of(solvers, has_restart)) {
    throw UsageError(option + solvers.front().method.name + " is never restarted; leave it out");
  }
  for (OwnSchedule& each : solvers) {
    if (!has_restart(each)) continue;
    const std::string& parameter = each.method.roles.at("restart");
    if (!each.settings.emplace(parameter, static_cast<double>(restart)).second) {
      throw UsageError(option + "--set " + parameter + " is the same; give one of them");
    }
  }
}

/// Seconds of --host-call: "9us".
double host_call_seconds(const std::string& text) {
  std::string_view unit = text;
  double number = 0;
  const auto read = std::from_chars(unit.data(), unit.data() + unit.size(), number);
  unit.remove_prefix(static_cast<std::size_t>(read.ptr - unit.data()));
  const double scale = unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : unit == "s" ? 1 : 0;
  if (read.ec != std::errc() || !(number >= 0) || !std::isfinite(number) || scale == 0) {
    throw UsageError("--host-call " + text +
                     ": expected a time of at least 0 in us, ms or s, as 9us");
  }
  return number * scale;
}

/// Gives --host-call to those that a library carries out.
void set_host_call(const CommandLine& line, std::span<OwnSchedule> solvers) {
  if (!line.has("host-call")) return;
  const auto& text = line.get<std::string>("host-call");
  const double seconds = host_call_seconds(text);
  bool is_used = false;
  for (OwnSchedule& each : solvers) {
    if (!each.method.execution) continue;
    each.method.execution->host_call_seconds = seconds;
    is_used = true;
  }
  if (!is_used) {
    throw UsageError("--host-call " + text +
                     ": of a solver that a library carries out; leave it out");
  }
}

/// Those of --precondition: one, or where a command takes several also a list or all.
std::vector<Preconditioner> preconditioners_of(const std::string& text, bool several) {
  if (several && text == "all") return usual_preconditioners();
  std::vector<Preconditioner> wanted;
  const std::vector<std::string> names =
      several ? words_of("--precondition", text) : std::vector{text};
  for (const std::string& name : names) {
    try {
      wanted.push_back(parse_preconditioner(name));
    } catch (const Error& error) {
      throw UsageError("--precondition " + std::string(error.what()) +
                       (several ? ", a list, or all" : ""));
    }
  }
  return wanted;
}

/// Makes one of each solver and preconditioner of --precondition; `all`: solvers without a choice
/// are left out.
void set_preconditioner(const CommandLine& line, bool several, bool all,
                        std::vector<OwnSchedule>& solvers) {
  if (!line.has("precondition")) return;
  const auto& text = line.get<std::string>("precondition");
  const std::vector<Preconditioner> wanted = preconditioners_of(text, several);
  try {
    solvers = with_preconditioners(solvers, wanted,
                                   all ? WithoutChoice::left_out : WithoutChoice::refused);
  } catch (const Error& error) {
    throw UsageError("--precondition " + text + ": " + error.what());
  }
}

/// What --solver knows: the schedules that come with the program, and our conjugate gradients.
std::vector<std::string> solver_names() {
  std::vector<std::string> names = shipped_names();
  names.push_back(fused_cg().name());
  return names;
}

/// "bicg,cg" or "all", each once.
std::vector<std::string> names_of(const std::string& text, bool several) {
  const std::vector<std::string> known = solver_names();
  if (several && text == "all") {
    return shipped_names_for(MatrixKind::symmetric_positive_definite);
  }
  const std::vector<std::string> names = several ? words_of("--solver", text) : std::vector{text};
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::vector<std::string> expected = known;
    if (several) expected.emplace_back("all alone");
    throw UsageError("--solver " + name + ": expected " + one_of(expected));
  }
  return names;
}

}  // namespace

void add_solver_options(CommandLine& line, bool several) {
  namespace po = boost::program_options;
  std::string text = several ? "solvers that come with the program, as cg,gmres, or all of ours: "
                             : "a solver that comes with the program: ";
  text += one_of(solver_names()) + " (docs/schedules.md; " + solver_meaning(fused_cg().name()) +
          "); not with --schedule";
  line.add()("solver", po::value<std::string>(), text.c_str())(
      "restart", po::value<WholeNumber>(), "steps of a cycle, of solvers that are restarted")(
      "precondition", po::value<std::string>(),
      (std::string(
           "none, jacobi, block-jacobi3 (diagonal blocks of 3 rows, 1 to 8) or chebyshev3 (a "
           "polynomial of 3 products)") +
       (several ? ", a list of them, or all" : "") +
       ", of solvers that leave a choice; default what each has of its own")
          .c_str())(
      "set", po::value<std::vector<std::string>>()->composing(),
      "a parameter of --solver NAME or --schedule FILE.json, as m=30; again for another");
}

void add_execution_option(CommandLine& line) {
  line.add()("execution", boost::program_options::value<std::string>(),
             "of --solver NAME and --schedule FILE.json: fused (default: steps share kernels), or "
             "step-by-step (each assignment and each dot product is a kernel of its own, as with a "
             "library of them)");
}

void add_host_call_option(CommandLine& line) {
  line.add()("host-call", boost::program_options::value<std::string>(),
             "of a solver that a library carries out, as cupy-cg: the host's time for a call, as "
             "9us; default that of the schedule (docs/schedules.md)");
}

void warn_of_library(const OwnSchedule& own) {
  if (!own.method.execution) return;
  warn(own.method.name + ": carried out by our kernels, not by " + own.method.execution->library +
       ", whose iterations predict forecasts");
}

bool has_schedule_file(const CommandLine& line) {
  return line.has("schedule") && line.get<std::string>("schedule").ends_with(".json");
}

bool names_fused(const CommandLine& line) {
  if (!line.has("solver")) return false;
  const std::vector<std::string> names = words_of("--solver", line.get<std::string>("solver"));
  return std::ranges::count(names, fused_cg().name()) > 0;
}

std::string cycles_text(std::span<const OwnSchedule> solvers) {
  std::map<double, std::string> names;  // by the steps of a cycle
  for (const OwnSchedule& each : solvers) {
    const std::optional<double> steps = cycle_steps(each.method, each.settings);
    if (!steps) continue;
    std::string& same = names[*steps];
    same += (same.empty() ? "" : ", ") + each.method.name;
  }
  std::string text;
  for (const auto& [steps, of] : names) {
    text += (text.empty() ? "an iteration of " : "; one of ") + of + " is a cycle of " +
            short_number(steps) + (steps == 1 ? " step" : " steps");
  }
  return text;
}

bool takes_all_solvers(const CommandLine& line, bool by_default) {
  if (!line.has("solver")) return by_default && !line.has("schedule");
  return line.get<std::string>("solver") == "all";
}

std::vector<OwnSchedule> named_solvers(const CommandLine& line, bool several, bool all_by_default) {
  const bool all = takes_all_solvers(line, all_by_default);
  if (!line.has("solver") && !all) return {};
  if (line.has("schedule")) throw UsageError("--solver and --schedule: expected one of them");
  const NamedNumbers settings = settings_of(line);
  std::vector<OwnSchedule> solvers;
  for (const std::string& name : names_of(all ? "all" : line.get<std::string>("solver"), several)) {
    if (name != fused_cg().name()) solvers.push_back({shipped_method(name), settings});
  }
  if (solvers.empty()) {
    for (const char* option : {"set", "restart", "precondition", "execution", "host-call"}) {
      if (!line.has(option)) continue;
      throw UsageError("--" + std::string(option) + ": " + fused_cg().name() +
                       " leaves no choice; leave it out");
    }
  }
  if (solvers.size() > 1 && line.has("set")) throw UsageError("--set goes with one solver");
  std::ranges::for_each(solvers, require_parameters);
  set_restart(line, solvers);
  set_preconditioner(line, several, all, solvers);
  set_host_call(line, solvers);
  return solvers;
}

OwnSchedule schedule_of_file(const CommandLine& line, const std::string& file) {
  std::vector<OwnSchedule> read{{read_method_file(file), settings_of(line)}};
  check_method(read.front().method);
  require_parameters(read.front());
  set_restart(line, read);
  set_preconditioner(line, false, false, read);
  set_host_call(line, read);
  return std::move(read.front());
}

std::vector<OwnSchedule> own_schedules(const CommandLine& line, bool several, bool all_by_default) {
  std::vector<OwnSchedule> solvers = named_solvers(line, several, all_by_default);
  if (has_schedule_file(line)) {
    solvers.push_back(schedule_of_file(line, line.get<std::string>("schedule")));
  }
  if (solvers.empty()) {
    for (const char* option : {"set", "restart", "precondition", "execution", "host-call"}) {
      if (!line.has(option)) continue;
      throw UsageError("--" + std::string(option) +
                       " is of a solver by its name or file; give one");
    }
  }
  for (OwnSchedule& each : solvers) each.execution = execution_of(line);
  return solvers;
}

std::optional<OwnSchedule> uncounted_schedule(const CommandLine& line) {
  std::vector<OwnSchedule> solvers = own_schedules(line, true);
  if (solvers.size() + (names_fused(line) ? 1 : 0) > 1) {
    throw UsageError("--solver " + line.get<std::string>("solver") +
                     ": solvers take different numbers of iterations; add --rtol to count them, or "
                     "name one");
  }
  if (solvers.empty()) return std::nullopt;
  return std::move(solvers.front());
}

std::optional<OwnSchedule> own_schedule(const CommandLine& line) {
  std::vector<OwnSchedule> solvers = own_schedules(line, false);
  if (solvers.empty()) return std::nullopt;
  return std::move(solvers.front());
}

}  // namespace sparsecast::cli
