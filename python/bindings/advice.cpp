#include "predict/advice/advice.hpp"

#include <string>
#include <utility>
#include <vector>

#include "predict/advice/advice_json.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/matrix.hpp"
#include "python/bindings/predictions.hpp"
#include "python/bindings/requests.hpp"
#include "python/bindings/results.hpp"
#include "python/bindings/schedule.hpp"
#include "python/bindings/watch.hpp"

namespace sparsecast::python {
namespace {

AdviceRequest request_of(const Arguments& arguments, const std::vector<DeviceProfile>& profiles) {
  AdviceRequest request;
  arguments.read("max_devices", request.max_devices);
  arguments.read("min_efficiency", request.min_efficiency);
  arguments.read("layouts", request.layouts);
  request.precision = precision_for(arguments, profiles);
  arguments.read("curve", request.curve);
  arguments.read("iterations", request.iterations);
  request.own = chosen_solver(arguments);
  return request;
}

Advice advise_on(py::handle given_subject, const std::vector<const DeviceProfile*>& given_profiles,
                 const py::dict& given, py::object progress) {
  const Subject subject = subject_of(given_subject);
  const std::vector<DeviceProfile> profiles = copies_of(given_profiles);
  const Arguments arguments(given);
  const AdviceRequest request = request_of(arguments, profiles);
  std::vector<Solver> own;
  if (request.own) own.push_back(*request.own);
  Renumbering how = Renumbering::none;
  arguments.read("renumber", how, parse_renumbering);
  if (subject.features != nullptr && how != Renumbering::none) {
    refuse_argument("renumber", "features have no entries to order; count them in that order");
  }
  std::string unfit;
  Advice advice = without_lock(std::move(progress), [&](Watch& watch) {
    watch.update(0);
    const auto made = [&] {
      if (subject.features != nullptr) {
        unfit = unfit_text(subject, own);
        return advise(*subject.features, profiles, request);
      }
      const auto turn = subject.matrix->turn();
      require_system(subject.matrix->rows(), subject.matrix->columns());
      unfit = unfit_text(subject, own);
      return advise(subject.matrix->orders(how), profiles, request);
    }();
    watch.update(1);
    return made;
  });
  warn_in_python(unfit);
  return advice;
}

Advice advise_from_numbers(const std::vector<const DeviceProfile*>& given_profiles,
                           const py::dict& given) {
  const std::vector<DeviceProfile> profiles = copies_of(given_profiles);
  const Arguments arguments(given);
  const SystemNumbers numbers = system_numbers(arguments);
  const AdviceRequest request = request_of(arguments, profiles);
  return without_lock(py::none(), [&](Watch&) {
    return advise_numbers(numbers.unknowns, numbers.elements, numbers.layout, profiles, request,
                          numbers.rows);
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
      .def_readonly("seconds", &DeviceChoice::seconds,
                    "What choices are compared by: seconds of an iteration, or of a whole solve.")
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

  const auto choice = [](const Advice& self, std::size_t index) { return self.choices[index]; };
  py::class_<Advice>(module, "Advice", R"(
How many devices of which kind to use.

>>> sparsecast.advise(A, "nvidia-h200", max_devices=1).recommended.gpus
1
)")
      .def_readonly("choices", &Advice::choices,
                    "All that was compared, by profile and number of devices.")
      .def_property_readonly(
          "recommended", [choice](const Advice& self) { return choice(self, self.recommended); },
          "The choice to take.")
      .def_property_readonly(
          "fewest", [choice](const Advice& self) { return choice(self, self.fewest); },
          "The choice with the fewest devices that hold the matrix.")
      .def_property_readonly(
          "ties",
          [choice](const Advice& self) {
            std::vector<DeviceChoice> ties;
            for (const std::size_t tie : self.ties) ties.push_back(choice(self, tie));
            return ties;
          },
          "Choices that are as good as the recommended one.")
      .def_readonly("setup_included", &Advice::setup_included,
                    "Of whole solves: whether conversion and upload are counted.")
      .def_readonly("reason", &Advice::reason, "One sentence: what limits it.")
      .def(
          "to_dict", [](const Advice& self) { return from_json(to_json(self)); },
          "The keys of `sparsecast advise --json`.")
      .def("__repr__", [choice](const Advice& self) {
        return "<sparsecast.Advice: " + choice_text(choice(self, self.recommended).prediction) +
               ">";
      });
  set_module<DeviceChoice, Advice>();
  module.def("advise", &advise_on);
  module.def("advise_numbers", &advise_from_numbers);
}

}  // namespace sparsecast::python
