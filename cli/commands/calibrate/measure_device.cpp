#include "cli/commands/calibrate/programs.hpp"

#include <filesystem>
#include <iostream>
#include <optional>

#include "calibrate/measure/measured_device.hpp"
#include "calibrate/plan/device_plan.hpp"
#include "calibrate/plan/measurement_plan.hpp"
#include "calibrate/sample.hpp"
#include "cli/commands/calibrate/calibration_files.hpp"
#include "cli/commands/calibrate/fitted_output.hpp"
#include "cli/commands/calibrate/measured_options.hpp"
#include "cli/commands/calibrate/plan_run.hpp"
#include "model/estimate/relative_profile.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

namespace {

PlanExtent extent_of(const CommandLine& line) {
  if (line.has("like")) return PlanExtent::like;
  return line.has("quick") ? PlanExtent::quick : PlanExtent::all;
}

}  // namespace

int measure_device(const CommandLine& line) {
  const PlanOptions options = plan_options(line);
  const std::optional<PlanPart> part = plan_part(line);
  if (line.has("like")) require_relative(read_profile(line.get<std::string>("like")));
  const MeasuredDevice device = device_of(line);
  const CalibrationFiles files = files_of(line, device);
  MeasurementPlan plan = device_plan(device.origin.kind, extent_of(line), options);
  if (part) cut_to(plan, *part);
  if (plan.measurements.empty()) {
    throw UsageError("--layout, --launch: this calibration measures no such kernels");
  }
  check_files(line, files);

  SampleFile file;
  file.origin = device.origin;
  if (line.has("resume")) {
    file = read_unfinished(files, device.origin.device, plan.name);
  } else if (line.has("force")) {
    fs::remove(files.partial);
  } else {
    refuse_to_discard(files.partial);
    if (!part) refuse_to_overwrite(files.profile);
    refuse_to_overwrite(files.samples);
  }
  measure(plan, device, file, files.partial);
  if (part) {
    write_samples(files.samples, file);
    fs::remove(files.partial);
    std::cout << "samples: " << files.samples.string() << '\n';
    return 0;
  }
  write_fitted(line, file, files, &file, files.partial);
  return 0;
}

}  // namespace sparsecast::cli
