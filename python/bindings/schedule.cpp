#include "python/bindings/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/base/text/name_list.hpp"
#include "core/base/text/nearest_name.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/method/check_method.hpp"
#include "core/schedule/method/method_json.hpp"
#include "core/schedule/method/preconditioner.hpp"
#include "core/schedule/shipped/shipped_methods.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/results.hpp"

namespace sparsecast::python {
namespace {

std::vector<std::string> known_solvers() {
  std::vector<std::string> known = shipped_names();
  std::ranges::copy(built_in_names(), std::back_inserter(known));
  return known;
}

[[noreturn]] void refuse_solver(const std::string& name, const std::vector<std::string>& known) {
  refuse_argument("solver", "there is none of name '" + name + "'; " + hint_of_name(name, known));
}

bool has_restart(const OwnSchedule& schedule) {
  return schedule.method.roles.contains("restart");
}

void set_number(OwnSchedule& schedule, const std::string& parameter, double value) {
  if (!schedule.settings.emplace(parameter, value).second) {
    refuse_argument("restart", parameter + " is given in settings too; give one of them");
  }
}

bool is_all(py::handle given) {
  return py::isinstance<py::str>(given) && given.cast<std::string>() == "all";
}

/// Of "precondition": names, or "all".
std::vector<Preconditioner> preconditioners_of(const py::object& given) {
  if (is_all(given)) return usual_preconditioners();
  std::vector<Preconditioner> wanted;
  for (const py::object& each : several_of("precondition", given)) {
    wanted.push_back(Arguments::parsed("precondition", each, parse_preconditioner));
  }
  return wanted;
}

/// Throws `Error` for a parameter without a value.
void require_parameters(const OwnSchedule& schedule) {
  for (const Parameter& parameter : schedule.method.parameters) {
    if (parameter.value || schedule.settings.contains(parameter.name)) continue;
    refuse_argument("settings", schedule.method.name + " needs its parameter '" + parameter.name +
                                    "'; give settings={'" + parameter.name + "': NUMBER}");
  }
}

/// Gives "restart", "precondition" and "settings" to those schedules that have such a choice;
/// `all`: those that leave no choice of this preconditioner are taken out.
void apply_choices(const Arguments& arguments, bool all, std::vector<OwnSchedule>& schedules) {
  if (arguments.has("settings")) {
    if (schedules.size() > 1) refuse_argument("settings", "goes with one solver");
    const py::object given = arguments.at("settings");
    if (!py::isinstance<py::dict>(given)) {
      refuse_argument("settings", "expected a dict of numbers, found " + found_text(given));
    }
    for (const auto& [key, value] : py::dict(given)) {
      const std::string parameter = text_of("settings", key);
      const double number = number_of("settings: " + parameter, value);
      if (!std::isfinite(number)) refuse_argument("settings: " + parameter, "is not finite");
      schedules.front().settings.insert_or_assign(parameter, number);
    }
  }
  if (arguments.has("restart")) {
    std::int64_t restart = 0;
    arguments.read("restart", restart);
    if (restart < 1) refuse_argument("restart", "expected at least 1");
    if (std::ranges::none_of(schedules, has_restart)) {
      refuse_argument("restart",
                      schedules.front().method.name + " is never restarted; leave it out");
    }
    for (OwnSchedule& each : schedules) {
      if (!has_restart(each)) continue;
      set_number(each, each.method.roles.at("restart"), static_cast<double>(restart));
    }
  }
  if (arguments.has("precondition")) {
    const std::vector<Preconditioner> wanted = preconditioners_of(arguments.at("precondition"));
    try {
      schedules = with_preconditioners(schedules, wanted,
                                       all ? WithoutChoice::left_out : WithoutChoice::kept);
    } catch (const Error& error) {
      refuse_argument("precondition", error.what());
    }
  }
  for (const OwnSchedule& each : schedules) require_parameters(each);
}

/// The solver of a file, or one that comes with the program; nothing where there is none.
std::optional<Method> find_method(const std::string& name) {
  if (name.ends_with(".json")) {
    Method read = read_method_file(name);
    check_method(read);
    return read;
  }
  const Method* shipped = find_shipped(name);
  return shipped != nullptr ? std::optional(*shipped) : std::nullopt;
}

/// Refuses choices of solvers where none is named that has them.
void require_schedule(const Arguments& arguments, const ChosenSolvers& chosen) {
  if (!chosen.own.empty()) return;
  for (const char* name : {"restart", "precondition", "settings"}) {
    if (!arguments.has(name)) continue;
    refuse_argument(name, chosen.built_in.empty()
                              ? "is of a solver by its name, file or Schedule; give one"
                              : chosen.built_in.front() + " leaves no choice; leave it out");
  }
}

/// Results are told apart by the solver's name.
void refuse_repeated(const ChosenSolvers& chosen) {
  std::vector<std::string> names = chosen.built_in;
  for (const OwnSchedule& each : chosen.own) names.push_back(each.method.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return;
  refuse_argument("solver",
                  "two are named '" + *twice + "'; give one, or call once with each of them");
}

Execution parse_execution(const std::string& name) {
  if (name == "fused") return Execution::fused;
  if (name == "step-by-step") return Execution::step_by_step;
  throw Error(name + ": expected fused or step-by-step");
}

/// "host_call" of a solver that a library carries out.
void set_host_call(const Arguments& arguments, Method& method) {
  if (!method.execution) {
    refuse_argument("host_call", "is of a solver that a library carries out, as cupy-cg; " +
                                     method.name + " is none: leave it out");
  }
  double seconds = 0;
  arguments.read("host_call", seconds);
  if (!(seconds >= 0) || !std::isfinite(seconds)) {
    refuse_argument("host_call", "expected seconds, at least 0");
  }
  method.execution->host_call_seconds = seconds;
}

OwnSchedule make_schedule(py::handle name_or_path, const Arguments& arguments) {
  const std::string name = path_of("schedule", name_or_path).string();
  std::vector<OwnSchedule> made(1);
  if (std::optional<Method> found = find_method(name)) {
    made.front().method = std::move(*found);
  } else if (find_built_in(name) != nullptr) {
    refuse_argument("solver", name +
                                  " comes with the program as it is and leaves no choice: say "
                                  "solver='" +
                                  name + "' where solvers are named");
  } else {
    std::vector<std::string> known = shipped_names();
    known.emplace_back("a file that ends with .json");
    refuse_solver(name, known);
  }
  apply_choices(arguments, false, made);
  if (made.size() > 1) refuse_argument("precondition", "a Schedule has one");
  arguments.read("execution", made.front().execution, parse_execution);
  if (arguments.has("host_call")) set_host_call(arguments, made.front().method);
  made.front().priced();  // says now what does not fit
  return std::move(made.front());
}

/// A value as JSON.
std::string json_of(py::handle value) {
  try {
    return py::module_::import("json").attr("dumps")(value).cast<std::string>();
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw;
    refuse_argument("keys", "expected what JSON can hold, found " + found_text(value));
  }
}

OwnSchedule schedule_of_dict(py::handle keys) {
  if (!py::isinstance<py::dict>(keys)) {
    refuse_argument("keys", "expected a dict, found " + found_text(keys));
  }
  OwnSchedule made{read_method(json_of(keys), "schedule"), {}};
  check_method(made.method);
  return made;
}

}  // namespace

ChosenSolvers chosen_solvers(const Arguments& arguments, bool all_by_default) {
  ChosenSolvers chosen;
  chosen.all = arguments.has("solver") ? is_all(arguments.at("solver")) : all_by_default;
  if (chosen.all) {
    for (const std::string& name : shipped_names_for(MatrixKind::symmetric_positive_definite)) {
      chosen.own.push_back({shipped_method(name)});
    }
  } else if (arguments.has("solver")) {
    for (const py::object& each : several_of("solver", arguments.at("solver"))) {
      if (py::isinstance<OwnSchedule>(each)) {
        chosen.own.push_back(each.cast<OwnSchedule>());
        continue;
      }
      const bool is_path = py::hasattr(each, "__fspath__");
      const std::string name = is_path ? path_of("solver", each).string() : text_of("solver", each);
      if (find_built_in(name) != nullptr) {
        chosen.built_in.push_back(name);
      } else if (std::optional<Method> found = find_method(name)) {
        chosen.own.push_back({std::move(*found), {}});
      } else if (is_all(each)) {
        refuse_argument("solver", "\"all\" stands for every one; give it alone");
      } else {
        std::vector<std::string> known = known_solvers();
        known.emplace_back("a file that ends with .json");
        refuse_solver(name, known);
      }
    }
  }
  require_schedule(arguments, chosen);
  apply_choices(arguments, chosen.all, chosen.own);
  refuse_repeated(chosen);
  return chosen;
}

void require_one(const Arguments& arguments, const ChosenSolvers& chosen,
                 const std::string& how_several) {
  if (chosen.built_in.size() + chosen.own.size() < 2) return;
  const bool one_named = !chosen.all && several_of("solver", arguments.at("solver")).size() == 1;
  refuse_argument(one_named ? "precondition" : "solver", "expected one" + how_several);
}

std::optional<Solver> chosen_solver(const Arguments& arguments, const std::string& how_several) {
  const ChosenSolvers chosen = chosen_solvers(arguments);
  require_one(arguments, chosen, how_several);
  if (!chosen.built_in.empty()) {
    if (chosen.built_in.front() == fused_cg().name()) return std::nullopt;  // what else is meant
    refuse_argument("solver", chosen.built_in.front() + " does not take part here; expected " +
                                  fused_cg().name() + " or one of " + one_of(shipped_names()));
  }
  if (chosen.own.empty()) return std::nullopt;
  return chosen.own.front().priced();
}

void bind_schedule(py::module_& module) {
  py::class_<OwnSchedule>(module, "Schedule", R"(
A solver as data (docs/schedules.md), with values of its parameters.

name_or_path: one that comes with the program (`solver_names`), or a file that ends with .json.
restart: steps of a cycle. precondition: "none", "jacobi", "block-jacobi3" or "chebyshev3".
settings: other parameters, a dict. execution: "fused" (default), or "step-by-step", as with a
library of vector kernels. host_call: of a solver that a library carries out, the host's seconds for
a call; default the schedule's own. Raises `Error` for what does not fit.

>>> gmres = sparsecast.Schedule("gmres", restart=20)
>>> gmres.needs, gmres.settings
('square', {'m': 20.0})
>>> fast_host = sparsecast.Schedule("cupy-cg", host_call=5e-6)
>>> forecasts = [sparsecast.predict(A, "nvidia-h200", solver=each)[0] for each in (fast_host, "cupy-cg")]
>>> forecasts[0].seconds_per_iteration < forecasts[1].seconds_per_iteration
True
)")
      .def(py::init([](py::handle name_or_path, py::object restart, py::object precondition,
                       py::object settings, py::object execution, py::object host_call) {
             py::dict given;
             given["restart"] = restart;
             given["precondition"] = precondition;
             given["settings"] = settings;
             given["execution"] = execution;
             given["host_call"] = host_call;
             return make_schedule(name_or_path, Arguments(given));
           }),
           py::arg("name_or_path"), py::kw_only(), py::arg("restart") = py::none(),
           py::arg("precondition") = py::none(), py::arg("settings") = py::none(),
           py::arg("execution") = py::none(), py::arg("host_call") = py::none())
      .def_static("from_dict", &schedule_of_dict, py::arg("keys"),
                  "The inverse of `to_dict`: of a dict with the keys of a schedule's file.")
      .def_property_readonly(
          "name", [](const OwnSchedule& self) { return self.method.name; },
          "In tables and results.")
      .def_property_readonly(
          "description", [](const OwnSchedule& self) { return self.method.description; },
          "For people.")
      .def_property_readonly(
          "needs", [](const OwnSchedule& self) { return name_of(self.method.needs); },
          "What its matrix must be: \"square\", \"symmetric\", \"symmetric positive definite\".")
      .def_property_readonly(
          "parameters",
          [](const OwnSchedule& self) {
            std::vector<std::string> names;
            for (const Parameter& parameter : self.method.parameters) {
              names.push_back(parameter.name);
            }
            return names;
          },
          "Names of the numbers that `settings` may give.")
      .def_readonly("settings", &OwnSchedule::settings, "Those that were given.")
      .def(
          "to_dict", [](const OwnSchedule& self) { return from_json(to_json(self.method)); },
          "The keys of its file (docs/schedules.md), without the settings.")
      .def(
          "write",
          [](const OwnSchedule& self, py::handle path) {
            write_file(path_of("path", path), to_json(self.method));
          },
          py::arg("path"), "Writes the .json file, whole or not at all.")
      .def("__repr__", [](const OwnSchedule& self) {
        return "<sparsecast.Schedule " + self.method.name + ">";
      });
  set_module<OwnSchedule>();
  module.def("solver_names", &known_solvers);
}

}  // namespace sparsecast::python
