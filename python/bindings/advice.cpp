#include "predict/advice/advice.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/schedule/built_in_solvers.hpp"
#include "predict/advice/advice_json.hpp"
#include "predict/unfit_solvers.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/counting.hpp"
#include "python/bindings/matrix.hpp"
#include "python/bindings/predictions.hpp"
#include "python/bindings/requests.hpp"
#include "python/bindings/results.hpp"
#include "python/bindings/schedule.hpp"
#include "python/bindings/watch.hpp"

namespace sparsecast::python {
namespace {

/// Advice, and of times to solution what was counted.
struct CountedAdvice : Advice {
  std::vector<IterationCount> counts{};
};

/// What a call asks for beside its solvers.
AdviceRequest request_of(const Arguments& arguments, const std::vector<DeviceProfile>& profiles) {
  AdviceRequest request;
  if (arguments.has("max_devices")) {
    read_devices(arguments, "max_devices", request.max_devices.emplace());
  }
  arguments.read("min_efficiency", request.min_efficiency);
  arguments.read("layouts", request.layouts);
  request.precision = precision_for(arguments, profiles);
  request.curve = curve_of(arguments, profiles);
  request.iterations = iterations_of(arguments);
  return request;
}

/// Those that a solver could be the first in: that of "precision", or all that x can be so exact
/// in.
std::vector<Precision> precisions_to_count(const Arguments& arguments, const Subject& subject,
                                           const std::vector<DeviceProfile>& profiles,
                                           const Counting& counting) {
  if (!arguments.has("precision")) {
    std::vector<Precision> precisions =
        comparable_precisions(counting.rules.tolerance, profiles, subject.features);
    if (!precisions.empty()) return precisions;
  }
  return {precision_for(arguments, profiles)};
}

CountedAdvice advise_on(py::handle given_subject,
                        const std::vector<const DeviceProfile*>& given_profiles,
                        const py::dict& given, py::object progress) {
  const Subject subject = subject_of(given_subject);
  const std::vector<DeviceProfile> profiles = copies_of(given_profiles);
  const Arguments arguments(given);
  AdviceRequest request = request_of(arguments, profiles);
  const std::optional<Counting> counting = counting_of(arguments, subject, profiles);
  SolversToCount solvers;
  std::vector<Precision> precisions;
  std::vector<Solver> own;
  if (counting) {
    solvers = solvers_to_count(chosen_solvers(arguments, true));
    if (std::ranges::any_of(solvers.ours, is_vendor)) {
      refuse_argument("solver", "vendor is only compared with, and never advised; leave it out");
    }
    precisions = precisions_to_count(arguments, subject, profiles, *counting);
  } else {
    request.own = chosen_solver(arguments, "; several are compared with rtol");
    if (request.own) own.push_back(*request.own);
  }
  const Renumbering how = order_of(arguments, subject);
  Counted counted;
  Advice advice = without_lock(std::move(progress), [&](Watch& watch) {
    watch.update(0);
    const auto turn = turn_of(subject);
    if (counting) {
      counted =
          counts_of(subject, *counting, solvers, precisions, watch, share_of_counting(subject));
      request.counted = counted_solvers_of(subject, counted, solvers);
    } else {
      counted.warnings = unfit_warnings(subject_text(subject), subject.counts(), own);
    }
    Advice made = subject.features != nullptr
                      ? advise(*subject.features, profiles, request)
                      : advise(subject.matrix->orders(how), profiles, request);
    watch.update(1);
    return made;
  });
  for (const std::string& warning : counted.warnings) warn_in_python(warning);
  return {std::move(advice), std::move(counted.counts)};
}

CountedAdvice advise_from_numbers(const std::vector<const DeviceProfile*>& given_profiles,
                                  const py::dict& given) {
  const std::vector<DeviceProfile> profiles = copies_of(given_profiles);
  const Arguments arguments(given);
  const SystemNumbers numbers = system_numbers(arguments);
  AdviceRequest request = request_of(arguments, profiles);
  request.own = chosen_solver(arguments);
  return without_lock(py::none(), [&](Watch&) {
    return CountedAdvice{advise_numbers(numbers.unknowns, numbers.elements, numbers.layout,
                                        profiles, request, numbers.rows),
                         {}};
  });
}

}  // namespace

void bind_advice(py::module_& module) {
  py::class_<DeviceChoice>(module, "DeviceChoice", R"(
A number of devices of one profile, with its fastest layout.

>>> sparsecast.advise(A, "nvidia-h200").choices[0].gpus
1
)")
      .def_readonly("profile", &DeviceChoice::profile, "The profile's name.")
      .def_property_readonly("gpus", &DeviceChoice::gpus, "How many GPUs; 0 for a CPU.")
      .def_readonly("prediction", &DeviceChoice::prediction, "Its forecast.")
      .def_readonly(
          "seconds", &DeviceChoice::seconds,
          "What choices are compared by: seconds of an iteration, of a whole solve, or to "
          "a solution.")
      .def_readonly("interval_seconds", &DeviceChoice::interval_seconds,
                    "90 % interval of it; None where the profile knows none.")
      .def_readonly("efficiency", &DeviceChoice::efficiency,
                    "Speedup per device over the fewest devices of the profile that hold the "
                    "matrix.")
      .def_property_readonly("fits", &DeviceChoice::fits,
                             "False only where the memory is known and too small.")
      .def("__repr__", [](const DeviceChoice& self) {
        return "<sparsecast.DeviceChoice " + choice_text(self.prediction) + ">";
      });

  const auto choice = [](const CountedAdvice& self, std::size_t index) {
    return self.choices[index];
  };
  py::class_<CountedAdvice>(module, "Advice", R"(
How many devices of which kind to use.

>>> sparsecast.advise(A, "nvidia-h200", max_devices=1).recommended.gpus
1
)")
      .def_readonly("choices", &Advice::choices,
                    "All that was compared, by profile and number of devices.")
      .def_property_readonly(
          "recommended",
          [choice](const CountedAdvice& self) { return choice(self, self.recommended); },
          "The choice to take.")
      .def_property_readonly(
          "fewest", [choice](const CountedAdvice& self) { return choice(self, self.fewest); },
          "The choice with the fewest devices that hold the matrix.")
      .def_property_readonly(
          "ties",
          [choice](const CountedAdvice& self) {
            std::vector<DeviceChoice> ties;
            for (const std::size_t tie : self.ties) ties.push_back(choice(self, tie));
            return ties;
          },
          "Choices that are as good as the recommended one.")
      .def_readonly("setup_included", &Advice::setup_included,
                    "Of whole solves: whether conversion and upload are counted.")
      .def_readonly("reason", &Advice::reason, "One sentence: what limits it.")
      .def_readonly("speedup_end", &Advice::speedup_end,
                    "Where more devices of the recommended profile take longer, and why; empty "
                    "where that was not seen.")
      .def_readonly("counts", &CountedAdvice::counts,
                    "Of times to solution what was counted of each solver, also of those that do "
                    "not converge; else empty.")
      .def(
          "to_dict", [](const CountedAdvice& self) { return from_json(to_json(self)); },
          "The keys of `sparsecast advise --json`.")
      .def("__repr__", [choice](const CountedAdvice& self) {
        return "<sparsecast.Advice: " + choice_text(choice(self, self.recommended).prediction) +
               ">";
      });
  set_module<DeviceChoice, CountedAdvice>();
  module.def("advise", &advise_on);
  module.def("advise_numbers", &advise_from_numbers);
}

}  // namespace sparsecast::python
