#include "python/bindings/counting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/hash.hpp"
#include "core/base/text/short_number.hpp"
#include "core/matrix/files/read_matrix_file.hpp"
#include "core/open_backend.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "predict/counting/count_outcomes.hpp"
#include "predict/counting/right_hand_side.hpp"
#include "predict/unfit_solvers.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/results.hpp"

namespace sparsecast::python {
namespace {

/// "array 0123456789abcdef": arrays of the same numbers have the same name.
std::string name_of_array(std::span<const double> values) {
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return "array " + hexadecimal(hash_of(bytes, 1));
}

/// b of "rhs" by its name, by the path of its file, or its numbers.
void read_right_hand_side(const Arguments& arguments, const Subject& subject, Counting& counting) {
  std::string& name = counting.rules.right_hand_side;
  const std::int64_t rows = subject.rows();
  if (arguments.has("rhs")) {
    const py::object given = arguments.at("rhs");
    if (!py::isinstance<py::str>(given) && !py::hasattr(given, "__fspath__")) {
      counting.b = vector_of("rhs", given, rows);
      for (std::size_t row = 0; row < counting.b.size(); ++row) {
        if (std::isfinite(counting.b[row])) continue;
        refuse_argument("rhs", "expected finite numbers, found " + short_number(counting.b[row]) +
                                   " in row " + std::to_string(row));
      }
      name = name_of_array(counting.b);
      return;
    }
    name = path_of("rhs", given).string();
  }
  if (subject.features != nullptr) return;
  without_lock(py::none(), [&](Watch&) {
    std::optional<std::vector<double>> b = named_right_hand_side(name, rows);
    if (!b) b = right_hand_side_of(read_matrix_file(name).matrix, rows, name);
    counting.b = *std::move(b);
  });
}

std::vector<IterationCount> count(Matrix& matrix, const py::dict& given, py::object progress) {
  const Arguments arguments(given);
  const Subject subject{&matrix, nullptr};
  std::optional<Counting> counting = counting_of(arguments, subject);
  if (!counting) refuse_argument("rtol", "expected more than 0 and less than 1, found None");
  counting->rules.compete = false;  // nobody knows what they will be compared on
  SolversToCount solvers = solvers_to_count(chosen_solvers(arguments));
  Precision precision = Precision::f64;
  arguments.read("precision", precision);
  const Counted counted = without_lock(std::move(progress), [&](Watch& watch) {
    const auto turn = turn_of(subject);
    Counted made = counts_of(subject, *counting, solvers, std::array{precision}, watch, 1);
    watch.update(1);
    return made;
  });
  for (const std::string& warning : counted.warnings) warn_in_python(warning);
  return counted.counts;
}

}  // namespace

const CountWords& count_words() {
  static const CountWords words{"count_seconds", "rhs", "solver=\"all\""};
  return words;
}

std::optional<Counting> counting_of(const Arguments& arguments, const Subject& subject) {
  if (!arguments.has("rtol")) {
    for (const char* name : {"rhs", "max_iterations", "count_on", "count_seconds"}) {
      if (arguments.has(name)) refuse_argument(name, "is for rtol, which is missing");
    }
    return std::nullopt;
  }
  Counting counting;
  CountRules& rules = counting.rules;
  arguments.read("rtol", rules.tolerance);
  if (!is_countable(rules.tolerance)) {
    refuse_argument("rtol",
                    "expected more than 0 and less than 1, found " + short_number(rules.tolerance));
  }
  if (subject.features != nullptr) {
    for (const char* name : {"max_iterations", "count_on", "count_seconds"}) {
      if (!arguments.has(name)) continue;
      refuse_argument(name, subject.features->source + " has its counts; leave it out");
    }
  }
  arguments.read("max_iterations", rules.max_iterations);
  if (arguments.has("max_iterations") && rules.max_iterations < 1) {
    refuse_argument("max_iterations", "expected a positive number");
  }
  arguments.read("count_seconds", rules.seconds);
  if (!(rules.seconds > 0) || std::isinf(rules.seconds)) {
    refuse_argument("count_seconds", "expected a positive number");
  }
  arguments.read("count_on", counting.device);
  read_right_hand_side(arguments, subject, counting);
  return counting;
}

std::optional<Counting> counting_of(const Arguments& arguments, const Subject& subject,
                                    std::span<const DeviceProfile> profiles) {
  if (!arguments.has("rtol")) return counting_of(arguments, subject);
  if (arguments.has("iterations")) {
    refuse_argument("iterations", "rtol counts them; give one of them");
  }
  if (const DeviceProfile* profile = first_uncountable(profiles)) {
    refuse_argument("rtol", "of the traffic model; profile " + profile->name +
                                " is priced by model " + std::string(profile->model()) +
                                "; give iterations");
  }
  return counting_of(arguments, subject);
}

std::vector<std::string> leave_out_unfit(const Subject& subject, ChosenSolvers& chosen) {
  std::vector<std::string> warnings;
  if (chosen.all && !subject.counts().symmetric) {
    SolversToCount all{std::move(chosen.own), {}};
    const std::string left_out = leave_out_symmetric(subject_text(subject), all, count_words());
    chosen.own = std::move(all.own);
    if (!left_out.empty()) warnings.push_back(left_out);
  }
  std::vector<Solver> own;
  for (const OwnSchedule& each : chosen.own) own.push_back(each.priced());
  std::ranges::move(unfit_warnings(subject_text(subject), subject.counts(), own),
                    std::back_inserter(warnings));
  return warnings;
}

SolversToCount solvers_to_count(ChosenSolvers chosen) {
  SolversToCount solvers{std::move(chosen.own), std::move(chosen.built_in)};
  if (chosen.all || (solvers.own.empty() && solvers.ours.empty())) {
    solvers.ours = {fused_cg().name()};
  }
  return solvers;
}

double share_of_counting(const Subject& subject) {
  constexpr double share = 0.9;
  return subject.features != nullptr ? 0 : share;
}

Counted counts_of(const Subject& subject, const Counting& counting, SolversToCount& solvers,
                  std::span<const Precision> precisions, Watch& watch, double share) {
  Counted counted;
  const std::string name = subject_text(subject);
  if (!subject.counts().symmetric) {
    const std::string left_out = leave_out_symmetric(name, solvers, count_words());
    if (!left_out.empty()) counted.warnings.push_back(left_out);
  }
  if (subject.features != nullptr) {
    counted.counts = find_counts(
        *subject.features, solvers, precisions, counting.rules, count_words(),
        "sparsecast.count_features(A, profiles, rtol=" + short_number(counting.rules.tolerance, 6) +
            ", ...)");
  } else {
    const std::unique_ptr<Backend> backend = open_backend(counting.device);
    CountMonitor monitor;
    monitor.proceed = [&](const CountProgress& so_far) {
      return watch.goes_on(share * so_far.done);
    };
    monitor.left_out = [&](const std::string& why) {
      counted.warnings.push_back(why + "; left out");
    };
    std::optional<std::vector<IterationCount>> counts = count_iterations(
        *backend, subject.matrix->view(), counting.b, solvers, precisions, counting.rules, monitor);
    if (!counts) throw Stopped();
    counted.counts = *std::move(counts);
  }
  for (std::string& warning : warnings_of_counts(name, counted.counts, count_words())) {
    counted.warnings.push_back(std::move(warning));
  }
  return counted;
}

std::vector<CountedSolver> counted_solvers_of(const Subject& subject, const Counted& counted,
                                              const SolversToCount& solvers) {
  require_one_solves(subject_text(subject), counted.counts, count_words());
  return counted_solvers(counted.counts, solvers);
}

void bind_counting(py::module_& module) {
  py::class_<IterationCount>(module, "IterationCount", R"(
How many iterations a solver takes to a tolerance (docs/time_to_solution.md). Of solvers that are
restarted an iteration is a cycle, the last one counted by its share of steps.

>>> count = sparsecast.count_iterations(A, rtol=1e-6, solver="cg")[0]
>>> count.solver, count.outcome, count.stable
('cg', 'converged', True)
)")
      .def_readonly("solver", &IterationCount::solver, "Its name.")
      .def_readonly("settings", &IterationCount::settings, "Given to its parameters.")
      .def_property_readonly(
          "precision", [](const IterationCount& self) { return name_of(self.precision); },
          "\"f32\" or \"f64\".")
      .def_readonly("tolerance", &IterationCount::tolerance,
                    "The solver ends when ||b - A x|| is at most so many times ||b||.")
      .def_readonly("right_hand_side", &IterationCount::right_hand_side,
                    "b: \"ones\", \"random\", its file, or \"array\" and a number of its values.")
      .def_property_readonly(
          "outcome", [](const IterationCount& self) { return self.outcome_name(); },
          "\"converged\", or why it did not: \"out of time\", \"iteration limit\", ...")
      .def_readonly("iterations", &IterationCount::iterations, "How many ran.")
      .def_readonly("cycle_steps", &IterationCount::cycle_steps,
                    "Steps that the last cycle came to; None where iterations are no cycles.")
      .def_readonly("amount", &IterationCount::amount,
                    "Iterations, less what the last cycle does not come to.")
      .def_readonly("fewest", &IterationCount::fewest,
                    "The smallest amount for b, and for others that differ by rounding.")
      .def_readonly("most", &IterationCount::most, "The largest.")
      .def_property_readonly("expected", &IterationCount::expected,
                             "The middle of these two, which forecasts of times to solution take.")
      .def_readonly("runs", &IterationCount::runs, "Right-hand sides that were tried.")
      .def_readonly("converged", &IterationCount::converged, "How many of them converged.")
      .def_readonly("out_of_time", &IterationCount::out_of_time,
                    "Whether it ended as its share of the seconds was up.")
      .def_readonly("relative_residual", &IterationCount::relative_residual,
                    "||b - A x|| / ||b|| at the end.")
      .def_property_readonly("solves", &IterationCount::solves,
                             "Whether all right-hand sides that were tried converged.")
      .def_property_readonly("stable", &IterationCount::is_stable,
                             "Whether another device may be taken to count the same: several "
                             "converged, in amounts that differ by at most a tenth.")
      .def(
          "to_dict", [](const IterationCount& self) { return from_json(to_json(self)); },
          "The keys of `sparsecast solve --count --json`.")
      .def("__repr__", [](const IterationCount& self) {
        return "<sparsecast.IterationCount of " + self.solver + ": " + self.text() + ", " +
               std::string(self.outcome_name()) + ">";
      });
  set_module<IterationCount>();
  module.def("count_iterations", &count);
}

}  // namespace sparsecast::python
