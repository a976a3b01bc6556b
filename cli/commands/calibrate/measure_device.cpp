#include "cli/commands/calibrate/programs.hpp"

#include <filesystem>

#include "calibrate/measure/measured_device.hpp"
#include "calibrate/plan/gpu_plan.hpp"
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

MeasurementPlan plan_of(const CommandLine& line, const MeasuredDevice& device,
                        const PlanOptions& options) {
  if (line.has("like")) return gpu_like_plan(options);
  const bool quick = line.has("quick");
  if (device.origin.kind == DeviceProfile::Kind::gpu) {
    return quick ? gpu_quick_plan(options) : gpu_default_plan(options);
  }
  return quick ? quick_plan(options) : default_plan(options);
}

}  // namespace

int measure_device(const CommandLine& line) {
  const PlanOptions options = plan_options(line);
  if (line.has("like")) require_relative(read_profile(line.get<std::string>("like")));
  const MeasuredDevice device = device_of(line);
  const CalibrationFiles files = files_of(line, device);
  const MeasurementPlan plan = plan_of(line, device, options);
  check_files(line, files);

  SampleFile file;
  file.origin = device.origin;
  if (line.has("resume")) {
    file = read_unfinished(files, device.origin.device, plan.name);
  } else if (line.has("force")) {
    fs::remove(files.partial);
  } else {
    refuse_to_discard(files.partial);
    refuse_to_overwrite(files.profile);
    refuse_to_overwrite(files.samples);
  }
  measure(plan, device, file, files.partial);
  write_fitted(line, file, files, &file, files.partial);
  return 0;
}

}  // namespace sparsecast::cli
