#include "cli/commands/calibrate/programs.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calibrate/measure/measured_device.hpp"
#include "calibrate/plan/gpu_plan.hpp"
#include "calibrate/plan/measurement_plan.hpp"
#include "calibrate/profile_check.hpp"
#include "calibrate/sample.hpp"
#include "cli/commands/calibrate/measured_options.hpp"
#include "cli/commands/calibrate/plan_run.hpp"
#include "cli/interrupt.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/table.hpp"
#include "model/profile/device_profile.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::cli {

using Json = nlohmann::ordered_json;

namespace {

Json as_json(const std::vector<KernelCheck>& checks) {
  Json json = Json::array();
  for (const KernelCheck& each : checks) {
    json.push_back({{"precision", to_string(each.precision)},
                    {"kernel", each.key},
                    {"samples", each.samples},
                    {"median_ratio", each.median_ratio},
                    {"tolerance", each.tolerance},
                    {"passed", each.passed}});
  }
  return json;
}

void print(const std::vector<KernelCheck>& checks, std::ostream& out) {
  Table table({"precision", "kernel", "samples", "measured / profile", "may be", ""});
  for (const KernelCheck& each : checks) {
    table.add_row(
        {std::string(to_string(each.precision)), each.key, std::to_string(each.samples),
         format_fixed(each.median_ratio, 2),
         format_fixed(1 / (1 + each.tolerance), 2) + " to " + format_fixed(1 + each.tolerance, 2),
         each.passed             ? "ok"
         : each.median_ratio > 1 ? "slower"
                                 : "faster"});
  }
  table.print(out);
  const auto failed = std::ranges::count(checks, false, &KernelCheck::passed);
  if (failed == 0) {
    out << "\nThe device behaves as calibrated.\n";
  } else {
    out << '\n'
        << failed << " of " << checks.size()
        << " kernels do not behave as calibrated. If the machine is not busy, calibrate "
           "again.\n";
  }
}

}  // namespace

int check_device(const CommandLine& line) {
  const DeviceProfile profile = read_profile(line.get<std::string>("check"));
  PlanOptions options = plan_options(line);
  const bool gpu = profile.kind == DeviceProfile::Kind::gpu;
  const std::vector<GpuPart> gpus = gpus_of(line);
  if (gpus.size() > 1) throw UsageError("--check is for one device; name one with --device");
  if (gpu == gpus.empty()) {
    throw UsageError("profile '" + profile.name + "' describes a " + (gpu ? "GPU" : "CPU") +
                     "; use --device " + (gpu ? "cuda:0" : "cpu"));
  }
  const MeasuredDevice device = device_of(line);
  std::erase_if(options.precisions, [&profile](Precision precision) {
    return !profile.precisions.contains(precision);
  });
  SampleFile file;
  file.origin = device.origin;
  if (profile.device != file.origin.device) {
    warn("profile '" + profile.name + "' describes '" + profile.device + "'; this is '" +
         file.origin.device + "'");
  }
  const MeasurementPlan plan = gpu ? gpu_check_plan(options) : check_plan(options);
  if (!run_with_progress(plan, device, file, [] {})) {
    throw Interrupted("interrupted: nothing is checked");
  }
  const std::vector<KernelCheck> checks = check_profile(profile, file.samples);
  if (line.has("json")) {
    std::cout << json_text(with_json_head(
        "calibrate",
        {{"profile", profile.name}, {"device", profile.device}, {"checks", as_json(checks)}}));
  } else {
    print(checks, std::cout);
  }
  return std::ranges::all_of(checks, &KernelCheck::passed) ? 0 : 1;
}

}  // namespace sparsecast::cli
