#include "cli/commands/calibrate/measured_options.hpp"

#include <cctype>
#include <cstdint>
#include <string>

#include "calibrate/plan/device_plan.hpp"
#include "cli/choice_options.hpp"
#include "cli/command_files.hpp"
#include "cli/layout_options.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;

namespace {

/// "AMD EPYC 9654, 2 threads" -> "amd-epyc-9654-2-threads".
std::string file_name_of(const std::string& device) {
  std::string name;
  for (const char c : device) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

}  // namespace

std::vector<Precision> precisions_of(const CommandLine& line) {
  if (!line.has("precision")) return {Precision::f32, Precision::f64};
  return {parse_precision("--precision", line.get<std::string>("precision"))};
}

PlanOptions plan_options(const CommandLine& line) {
  PlanOptions options = plan_options_here();
  options.precisions = precisions_of(line);
  options.threads = parse_threads(line);
  if (line.has("seed")) options.seed = line.get<std::uint64_t>("seed");
  return options;
}

std::optional<PlanPart> plan_part(const CommandLine& line) {
  if (!line.has("layout") && !line.has("launch")) return std::nullopt;
  for (const char* option : {"plot", "html", "json", "full", "wide", "markdown"}) {
    if (!line.has(option)) continue;
    throw UsageError("--" + std::string(option) +
                     ": a part of a calibration is not fitted; leave it out, and fit the samples "
                     "together with a whole one's (--refit, twice)");
  }
  PlanPart part;
  part.layouts = layouts_of(line);
  if (line.has("launch")) {
    if (gpus_of(line).empty()) {
      throw UsageError("--launch: a CPU has no launch modes; leave it out");
    }
    part.launches = launch_modes_of(line);
  }
  return part;
}

std::vector<GpuPart> gpus_of(const CommandLine& line) {
  const std::string text = line.get_or("device", "cpu");
  if (text == "cpu") return {};
  if (text.starts_with(group_kind)) {
    throw UsageError("--device " + text +
                     ": a profile describes one device; links between thread groups are measured "
                     "with it, as --device cpu");
  }
  if (line.has("threads")) throw UsageError("--threads: of a CPU; leave it out");
  try {
    return parse_gpu_list(text);
  } catch (const Error&) {
    throw UsageError("--device " + text +
                     ": expected cpu, cuda:0, 32 multiprocessors of it as cuda:0/32, or several "
                     "GPUs as cuda:0,cuda:1");
  }
}

void require_one_gpu(const CommandLine& line) {
  if (gpus_of(line).size() == 1) return;
  throw UsageError("--device " + line.get<std::string>("device") +
                   ": --like is of one GPU; name it, as --device cuda:0");
}

MeasuredDevice device_of(const CommandLine& line) {
  const std::vector<GpuPart> gpus = gpus_of(line);
  return gpus.empty() ? measured_cpu(parse_threads(line)) : measured_gpus(gpus);
}

CalibrationFiles files_of(const CommandLine& line, const MeasuredDevice& device) {
  return files_of_out(line.has("out") ? fs::path(line.get<std::string>("out"))
                                      : fs::path(file_name_of(device.origin.device) + ".json"));
}

void check_files(const CommandLine& line, const CalibrationFiles& files) {
  CommandFiles all;
  if (line.has("like")) all.reads("--like", find_profile(line.get<std::string>("like")).string());
  if (!plan_part(line)) all.writes("--out", files.profile);
  all.writes("the samples of --out", files.samples);
  all.writes("the partial samples of --out", files.partial);
  all.draws(line, "plot");
  all.writes(line, "html");
  all.check(line.has("json"));
}

}  // namespace sparsecast::cli
