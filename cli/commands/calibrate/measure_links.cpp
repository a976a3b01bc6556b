#include "cli/commands/calibrate/programs.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "calibrate/measure/measured_device.hpp"
#include "calibrate/plan/link_plan.hpp"
#include "calibrate/plan/measurement_plan.hpp"
#include "calibrate/sample.hpp"
#include "cli/commands/calibrate/calibration_files.hpp"
#include "cli/commands/calibrate/fitted_output.hpp"
#include "cli/commands/calibrate/measured_options.hpp"
#include "cli/commands/calibrate/plan_run.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

int measure_links(const CommandLine& line) {
  if (line.has("quick")) throw UsageError("--quick is for one device; name one with --device");
  const std::vector<GpuPart> gpus = gpus_of(line);
  const PlanOptions options = plan_options(line);
  const MeasuredDevice device = measured_gpus(gpus);
  const CalibrationFiles files = files_of(line, device);
  check_files(line, files);
  if (!fs::exists(files.samples)) {
    throw Error(files.samples.string() + ": no samples of one GPU to add links to; calibrate it " +
                "first (--device " + to_string(gpus.front()) + ")");
  }
  SampleFile file = read_samples(files.samples);
  if (file.origin.device != device.origin.device) {
    throw Error(files.samples.string() + ": samples of '" + file.origin.device + "'; this is '" +
                device.origin.device + "'; name its profile with --out");
  }
  const MeasurementPlan plan = gpu_link_plan(static_cast<int>(gpus.size()), options);
  // To take the place of profile and samples is what this is for: only an unfinished run is asked
  // about.
  SampleFile links;
  links.origin = device.origin;
  if (line.has("resume")) {
    links = read_unfinished(files, device.origin.device, plan.name);
  } else if (line.has("force")) {
    fs::remove(files.partial);
  } else {
    refuse_to_discard(files.partial);
  }
  measure(plan, device, links, files.partial);

  std::erase_if(file.samples, [](const Sample& sample) { return !sample.exchange.empty(); });
  std::ranges::copy(links.samples, std::back_inserter(file.samples));
  for (const char* key : {"date", "driver", "program_version", "other_processes"}) {
    const auto found = links.origin.environment.find(key);
    if (found != links.origin.environment.end()) {
      file.origin.environment["links_" + std::string(key)] = found->second;
    }
  }
  file.origin.environment["links_devices"] = line.get_or("device", "cpu");
  write_fitted(line, file, files, &file, files.partial);
  return 0;
}

}  // namespace sparsecast::cli
