#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/calibration_files.hpp"
#include "calibrate/fit/profile_fit.hpp"
#include "calibrate/fit/relative_fit.hpp"
#include "calibrate/measure/measured_device.hpp"
#include "calibrate/measure/microbenchmarks.hpp"
#include "calibrate/plan/device_plan.hpp"
#include "calibrate/sample.hpp"
#include "core/base/error.hpp"
#include "core/base/files/file_output.hpp"
#include "core/engine/device_list.hpp"
#include "model/estimate/relative_profile.hpp"
#include "python/bindings/arguments.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/results.hpp"
#include "python/bindings/watch.hpp"

namespace sparsecast::python {
namespace {

namespace fs = std::filesystem;

/// Samples, and the profile that was fitted to them.
struct Calibration {
  SampleFile samples;
  ProfileFit fit;
};

/// A calibration as it was asked for.
struct CalibrationCall {
  PlanExtent extent = PlanExtent::all;
  PlanOptions options = plan_options_here();
  std::vector<GpuPart> gpus;  ///< none: the CPU
  const DeviceProfile* like = nullptr;
  std::optional<CalibrationFiles> files;
  bool resume = false;
  bool overwrite = false;
};

const DeviceProfile* relative_of(const Arguments& arguments) {
  if (!arguments.has("like")) return nullptr;
  const auto* relative = arguments.at("like").cast<const DeviceProfile*>();
  require_relative(*relative);
  return relative;
}

std::optional<CalibrationFiles> files_of(const Arguments& arguments) {
  if (!arguments.has("out")) return std::nullopt;
  return calibration_files(path_of("out", arguments.at("out")));
}

CalibrationCall call_of(const Arguments& arguments) {
  CalibrationCall call;
  std::string device = "cpu";
  arguments.read("device", device);
  if (device != "cpu") {
    call.gpus = parse_gpu_list(device);
    if (call.gpus.size() != 1) {
      refuse_argument("device",
                      "expected one; the program measures links of several GPUs: sparsecast "
                      "calibrate --device " +
                          device);
    }
  }
  call.like = relative_of(arguments);
  bool quick = false;
  arguments.read("quick", quick);
  if (call.like != nullptr && quick) refuse_argument("quick", "means nothing with like");
  if (call.like != nullptr && call.gpus.empty()) refuse_argument("like", "is of a GPU; name it");
  if (quick) call.extent = PlanExtent::quick;
  if (call.like != nullptr) call.extent = PlanExtent::like;
  if (arguments.has("precision")) arguments.read("precision", call.options.precisions.front());
  if (arguments.has("precision")) call.options.precisions.resize(1);
  call.options.threads = 0;
  arguments.read("threads", call.options.threads);
  if (call.options.threads < 0) refuse_argument("threads", "expected 0, all, or more");
  if (!call.gpus.empty() && arguments.has("threads")) refuse_argument("threads", "is of a CPU");
  arguments.read("seed", call.options.seed);
  call.files = files_of(arguments);
  arguments.read("resume", call.resume);
  arguments.read("overwrite", call.overwrite);
  for (const char* name : {"resume", "overwrite"}) {
    if (arguments.has(name) && truth_of(name, arguments.at(name)) && !call.files) {
      refuse_argument(name, "is of files; name them with out");
    }
  }
  if (call.resume && call.overwrite)
    refuse_argument("resume", "goes on with what overwrite discards");
  return call;
}

/// Throws `Error` where these cannot be written, before anything is measured or fitted.
void require_writable(const std::optional<CalibrationFiles>& files) {
  if (!files) return;
  for (const fs::path& path : {files->profile, files->samples}) check_can_write(path);
}

void require_free(const CalibrationCall& call) {
  if (!call.files || call.overwrite) return;
  for (const fs::path& path : {call.files->profile, call.files->samples}) {
    if (fs::exists(path))
      refuse_argument("out", path.string() + " is there already; pass overwrite=True");
  }
  if (!call.resume && fs::exists(call.files->partial)) {
    refuse_argument("out", call.files->partial.string() +
                               " is an unfinished calibration; pass resume=True or overwrite=True");
  }
}

/// What an unfinished calibration has measured.
SampleFile unfinished(const fs::path& partial, const MeasuredDevice& device,
                      const MeasurementPlan& plan) {
  SampleFile file = read_samples(partial);
  if (file.origin.device != device.origin.device) {
    throw Error(partial.string() + ": samples of '" + file.origin.device + "'; this is '" +
                device.origin.device + "'");
  }
  if (file.plan != plan.name) {
    throw Error(partial.string() + ": samples of the " + file.plan + " plan, not the " + plan.name +
                " one");
  }
  return file;
}

ProfileFit fit(const SampleFile& file, const DeviceProfile* like, const std::string& name) {
  return like != nullptr ? fit_like(file, *like, name) : fit_profile(file, name);
}

/// Measures, and keeps what it has in the partial samples, however it ends.
SampleFile measure(const CalibrationCall& call, Watch& watch) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds save_interval{10};
  const MeasuredDevice device =
      call.gpus.empty() ? measured_cpu(call.options.threads) : measured_gpus(call.gpus);
  const MeasurementPlan plan = device_plan(device.origin.kind, call.extent, call.options);
  SampleFile file;
  file.origin = device.origin;
  if (call.resume) file = unfinished(call.files->partial, device, plan);
  const auto save = [&] {
    if (call.files && !file.samples.empty()) write_samples(call.files->partial, file);
  };
  auto saved = Clock::now();
  try {
    run_plan(plan, device, file, [&](const PlanProgress& state) {
      if (Clock::now() - saved > save_interval) {
        save();
        saved = Clock::now();
      }
      return watch.goes_on(static_cast<double>(state.done) / std::max(state.total, 1));
    });
  } catch (...) {
    save();
    throw;
  }
  if (file.partial) {  // the watch says why
    save();
    throw Stopped();
  }
  return file;
}

Calibration calibrate(const py::dict& given, py::object progress) {
  const CalibrationCall call = call_of(Arguments(given));
  require_free(call);
  require_writable(call.files);
  const std::string name = call.files          ? call.files->profile.stem().string()
                           : call.gpus.empty() ? "cpu"
                                               : "gpu";
  // Measured work does not ask whether to go on: that would be measured too.
  return without_lock(
      std::move(progress),
      [&](Watch& watch) {
        Calibration made;
        made.samples = measure(call, watch);
        made.fit = fit(made.samples, call.like, name);
        if (call.files) {
          write_calibration(*call.files, made.fit.profile, &made.samples);
          fs::remove(call.files->partial);
        }
        return made;
      },
      Asked::by_the_work_alone);
}

Calibration refit(const std::vector<py::object>& given_paths, const py::dict& given) {
  const Arguments arguments(given);
  std::vector<std::string> names;
  for (const py::object& path : given_paths) names.push_back(path_of("samples", path).string());
  if (names.empty()) refuse_argument("samples", "expected at least one file");
  const DeviceProfile* like = relative_of(arguments);
  const std::optional<CalibrationFiles> files = files_of(arguments);
  bool overwrite = false;
  arguments.read("overwrite", overwrite);
  if (files && !overwrite && fs::exists(files->profile)) {
    refuse_argument("out", files->profile.string() + " is there already; pass overwrite=True");
  }
  require_writable(files);
  return without_lock(py::none(), [&](Watch&) {
    std::vector<SampleFile> runs;
    for (const std::string& name : names) runs.push_back(read_samples(name));
    Calibration made;
    made.samples = merge_samples(std::move(runs), names);
    if (made.samples.plan == "like" && like == nullptr) {
      throw Error(names.front() +
                  ": samples of the like plan, which are too few alone; name the "
                  "relative's profile with like");
    }
    made.fit = fit(made.samples, like, files ? files->profile.stem().string() : "refitted");
    if (files) write_calibration(*files, made.fit.profile, &made.samples);
    return made;
  });
}

}  // namespace

void bind_calibration(py::module_& module) {
  py::class_<Calibration>(module, "Calibration", R"(
A profile, and the samples that it was fitted from.

>>> sparsecast.calibrate("cpu", quick=True).profile.kind  # doctest: +SKIP
'cpu'
)")
      .def_property_readonly(
          "profile", [](const Calibration& self) { return self.fit.profile; },
          "Holds only what was fitted well.")
      .def_property_readonly(
          "warnings", [](const Calibration& self) { return self.fit.warnings; },
          "A sentence each: what could not be fitted, and noise.")
      .def_property_readonly(
          "sample_count", [](const Calibration& self) { return self.samples.samples.size(); },
          "Samples that were measured.")
      .def(
          "full", [](const Calibration& self) { return self.fit.full(); },
          "Every fit with its uncertainty, for people.")
      .def(
          "write",
          [](const Calibration& self, py::handle path) {
            const CalibrationFiles files = calibration_files(path_of("path", path));
            write_calibration(files, self.fit.profile, &self.samples);
          },
          py::arg("path"), "Writes NAME.json and NAME.samples.csv beside it, both or none.")
      .def("__repr__", [](const Calibration& self) {
        return "<sparsecast.Calibration of " + self.fit.profile.device + ">";
      });
  set_module<Calibration>();
  module.def("calibrate", &calibrate);
  module.def("refit", &refit);
}

}  // namespace sparsecast::python
