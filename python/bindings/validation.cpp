#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files/text_file.hpp"
#include "core/engine/own_solver.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "model/profile/device_profile.hpp"
#include "predict/validation/case_price.hpp"
#include "predict/validation/data/validation_csv.hpp"
#include "predict/validation/data/validation_data.hpp"
#include "predict/validation/summary/validation_json.hpp"
#include "predict/validation/summary/validation_summary.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/requests.hpp"
#include "python/bindings/results.hpp"
#include "python/bindings/schedule.hpp"
#include "python/bindings/watch.hpp"

namespace sparsecast::python {
namespace {

/// What was measured, and what it says of the forecasts.
struct Validation {
  ValidationData data;
  ValidationSummary summary;
};

ValidationData read_raw(const std::vector<std::string>& paths, const DeviceProfile* profile) {
  if (paths.empty()) refuse_argument("raw", "expected a file of raw data");
  if (paths.size() > 1 && profile == nullptr) {
    refuse_argument("raw", "several runs are priced again; give the profile to do it with");
  }
  std::vector<ValidationData> runs;
  for (const std::string& path : paths) {
    runs.push_back(parse_validation_csv(read_text(path), path));
  }
  return merge_validations(std::move(runs), paths);
}

/// Throws `Error` for a solver of raw data that nobody knows.
void require_solvers(const ValidationData& data, const OwnSolvers& own) {
  for (const ValidationRow& row : data.rows) {
    const std::string& name = row.schedule;
    if (name == product_alone || find_built_in(name) != nullptr || own.contains(name)) continue;
    refuse_argument("solver", data.source + " has " + name +
                                  ", which is none of ours: name it, or "
                                  "give its Schedule");
  }
}

Validation validate(const std::vector<py::object>& raw, const DeviceProfile* given_profile,
                    const py::dict& given) {
  const Arguments arguments(given);
  if (given_profile == nullptr) {
    for (const char* name : {"model", "solver", "curve"}) {
      if (arguments.has(name)) refuse_argument(name, "prices raw data again; give the profile");
    }
  }
  std::vector<std::string> paths;
  for (const py::object& each : raw) paths.push_back(path_of("raw", each).string());
  std::optional<DeviceProfile> profile;
  if (given_profile != nullptr) profile = *given_profile;
  std::string model;
  arguments.read("model", model);
  CurveKind curve = CurveKind::average;
  if (profile) curve = curve_of(arguments, std::array{profile->for_model(model)});
  OwnSolvers own;
  for (const OwnSchedule& each : chosen_solvers(arguments).own) {
    own.emplace(each.method.name, OwnSolver(each.method, each.settings));
  }
  return without_lock(py::none(), [&](Watch&) {
    Validation made{read_raw(paths, profile ? &*profile : nullptr), {}};
    if (profile) {
      require_solvers(made.data, own);
      price_data(made.data, *profile, model, curve, own);
    }
    made.summary = summarize_validation(made.data.rows);
    return made;
  });
}

/// Of all iterations of solvers.
const ErrorSummary& errors_of(const Validation& validation) {
  return validation.summary.overall.model;
}

}  // namespace

void bind_validation(py::module_& module) {
  py::class_<Validation>(module, "Validation", R"(
Measured beside predicted: what raw data of `sparsecast validate` says of a profile's forecasts.

Errors are of the time of an iteration, |predicted / measured - 1|; a matrix counts once.

>>> sparsecast.validate("raw.csv", "amd-epyc-zen4-2cores").median_error < 0.1
True
)")
      .def_property_readonly(
          "about", [](const Validation& self) { return self.data.about; },
          "Where and when it was measured, and by which profile it is priced.")
      .def_property_readonly(
          "cases", [](const Validation& self) { return errors_of(self).cases; },
          "Whole iterations that were measured and have a forecast.")
      .def_property_readonly(
          "matrices", [](const Validation& self) { return errors_of(self).matrices; },
          "How many matrices these are of.")
      .def_property_readonly(
          "mean_error", [](const Validation& self) { return errors_of(self).mean_time_error; },
          "Mean over the matrices.")
      .def_property_readonly(
          "median_error", [](const Validation& self) { return errors_of(self).median_time_error; },
          "Median over the matrices.")
      .def_property_readonly(
          "p95_error", [](const Validation& self) { return errors_of(self).p95_time_error; },
          "95 % of the matrices have a smaller one.")
      .def_property_readonly(
          "coverage", [](const Validation& self) { return errors_of(self).coverage; },
          "Share of 90 % intervals that hold the measured time; None where there are none.")
      .def(
          "to_dict",
          [](const Validation& self) { return from_json(to_json(self.data, self.summary)); },
          "The keys of `sparsecast validate --from --json`.")
      .def("__repr__", [](const Validation& self) {
        return "<sparsecast.Validation of " + std::to_string(self.data.rows.size()) + " cases>";
      });
  set_module<Validation>();
  module.def("validate", &validate);
}

}  // namespace sparsecast::python
