#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/fit/profile_fit.hpp"
#include "calibrate/measure/microbenchmarks.hpp"
#include "calibrate/plan/gpu_plan.hpp"
#include "calibrate/plan/link_plan.hpp"
#include "calibrate/profile_check.hpp"
#include "calibrate/profile_comparison.hpp"
#include "cli/command.hpp"
#include "cli/command_files.hpp"
#include "cli/commands/calibration_files.hpp"
#include "cli/interrupt.hpp"
#include "cli/plots/calibration_plot.hpp"
#include "cli/reports/calibration_report.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cpu/machine.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"
#include "core/workload/exchange_mode.hpp"
#include "model/profile/estimated_profile.hpp"
#include "model/profile/profile_file.hpp"

namespace sparsecast::cli {

namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

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

/// Something that calibrate can be asked to do, and the options that mean something with it.
struct Mode {
  std::string option;  ///< that asks for it; empty: to measure
  std::vector<std::string> others;
};

const std::vector<Mode>& modes() {
  static const std::vector<Mode> all{
      {"", {"device", "threads", "out", "precision", "quick", "seed", "resume", "force", "plot"}},
      {"refit", {"out", "precision", "force", "plot"}},
      {"check", {"device", "threads", "precision"}},
      {"compare", {}},
      {"estimate", {"out", "force", "sms", "threads-per-sm", "bandwidth", "memory"}}};
  return all;
}

/// Only one mode may be asked for, and only with options that mean something there.
void refuse_combinations(const CommandLine& line) {
  const Mode* chosen = &modes().front();
  for (const Mode& mode : modes()) {
    if (mode.option.empty() || !line.has(mode.option)) continue;
    if (!chosen->option.empty()) {
      throw UsageError("--" + chosen->option + " and --" + mode.option + " exclude each other");
    }
    chosen = &mode;
  }
  for (const Mode& mode : modes()) {
    for (const std::string& option : mode.others) {
      if (!line.has(option) || std::ranges::count(chosen->others, option) > 0) continue;
      throw UsageError(
          "--" + option + " means nothing " +
          (chosen->option.empty() ? "without --" + mode.option : "with --" + chosen->option));
    }
  }
  if (line.has("full") && (chosen->option == "check" || chosen->option == "estimate")) {
    throw UsageError("--full means nothing with --" + chosen->option);
  }
  if (line.has("resume") && line.has("force")) {
    throw UsageError("--resume goes on with what --force discards; choose one");
  }
}

std::vector<Precision> precisions_of(const CommandLine& line) {
  if (!line.has("precision")) return {Precision::f32, Precision::f64};
  return {parse_precision("--precision", line.get<std::string>("precision"))};
}

PlanOptions plan_options(const CommandLine& line) {
  PlanOptions options;
  options.precisions = precisions_of(line);
  options.threads = parse_threads(line);
  if (line.has("seed")) options.seed = line.get<std::uint64_t>("seed");
  const CpuDescription cpu = describe_cpu();
  if (cpu.l3_bytes > 0) options.cache_bytes = cpu.l3_bytes;
  return options;
}

/// The GPUs of --device ("cuda:0,cuda:1"); none for a CPU. Throws `UsageError` for what is neither.
std::vector<int> gpus_of(const CommandLine& line) {
  const std::string text = line.get_or("device", "cpu");
  if (text == "cpu") return {};
  if (text.starts_with(group_kind)) {
    throw UsageError("--device " + text +
                     ": a profile describes one device; links between thread groups are measured "
                     "with it, as --device cpu");
  }
  if (line.has("threads")) throw UsageError("--threads: of a CPU; leave it out");
  try {
    return parse_device_list(text, gpu_kind);
  } catch (const Error&) {
    throw UsageError("--device " + text +
                     ": expected cpu, cuda:0, or several GPUs as "
                     "cuda:0,cuda:1");
  }
}

/// The device of --device. Throws for devices that are not there.
MeasuredDevice device_of(const CommandLine& line) {
  const std::vector<int> gpus = gpus_of(line);
  return gpus.empty() ? measured_cpu(parse_threads(line)) : measured_gpus(gpus);
}

/// The files that --out names, or those named after the device.
CalibrationFiles files_of(const CommandLine& line, const MeasuredDevice& device) {
  return calibration_files(line.has("out")
                               ? fs::path(line.get<std::string>("out"))
                               : fs::path(file_name_of(device.origin.device) + ".json"));
}

/// Before a calibration is measured: what it will write can be written.
void check_files(const CommandLine& line, const CalibrationFiles& files) {
  CommandFiles all;
  all.writes("--out", files.profile);
  all.writes("the samples of --out", files.samples);
  all.writes("the partial samples of --out", files.partial);
  all.draws(line, "plot");
  all.check(line.has("json"));
}

enum class PlanKind { full, quick, check };

MeasurementPlan plan_of(PlanKind kind, const MeasuredDevice& device, const PlanOptions& options) {
  const bool gpu = device.origin.kind == DeviceProfile::Kind::gpu;
  switch (kind) {
    case PlanKind::quick:
      return gpu ? gpu_quick_plan(options) : quick_plan(options);
    case PlanKind::check:
      return gpu ? gpu_check_plan(options) : check_plan(options);
    case PlanKind::full:
      break;
  }
  return gpu ? gpu_default_plan(options) : default_plan(options);
}

/// Runs a plan under a progress line; `save` is called with the first samples, and now and then.
/// False if interrupted.
bool run_with_progress(const MeasurementPlan& plan, const MeasuredDevice& device, SampleFile& file,
                       const std::function<void()>& save) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds save_interval{10};
  const InterruptGuard guard;
  Progress progress(plan.name == "check" ? "check" : "calibrate");
  std::optional<Clock::time_point> saved;
  const PlanFailures failures = run_plan(plan, device, file, [&](const PlanProgress& state) {
    progress.update(static_cast<double>(state.done) / std::max(state.total, 1), state.what,
                    state.remaining_seconds);
    if (saved ? Clock::now() - *saved > save_interval : !file.samples.empty()) {
      save();
      saved = Clock::now();
    }
    return !InterruptGuard::interrupted();
  });
  if (failures.count > 0) {
    warn(std::to_string(failures.count) +
         (failures.count == 1 ? " measurement was" : " measurements were") +
         " left out; the first: " + failures.first);
  }
  return !file.partial;
}

/// Measures a plan. What was measured is in the partial samples, however it ends.
void measure(const MeasurementPlan& plan, const MeasuredDevice& device, SampleFile& file,
             const fs::path& partial) {
  const auto save = [&] {
    if (!file.samples.empty()) write_samples(partial, file);
  };
  bool finished = false;
  try {
    finished = run_with_progress(plan, device, file, save);
  } catch (const std::exception&) {
    save();
    throw;
  }
  save();
  if (finished) return;
  throw Interrupted(file.samples.empty()
                        ? "interrupted before anything was measured"
                        : "interrupted: " + std::to_string(file.samples.size()) +
                              " samples are in " + partial.string() + "; go on with --resume");
}

/// Fits, writes the profile, plots and prints. The samples are written where they are
/// `new_samples`; once they are, nobody needs what is at `partial` any more.
void finish(const CommandLine& line, const SampleFile& file, const CalibrationFiles& files,
            const SampleFile* new_samples, const fs::path& partial = {}) {
  const ProfileFit fit = fit_profile(file, files.profile.stem().string());
  write_calibration(files, fit.profile, new_samples);
  if (!partial.empty()) fs::remove(partial);
  if (line.has("plot")) {
    const std::vector<Precision> precisions = precisions_of(line);
    plot_calibration(line.get<std::string>("plot"), file, fit, precisions.back());
  }
  for (const std::string& warning : fit.warnings) warn(warning);
  if (line.has("json")) {
    Json json = fits_as_json(fit);
    json["profile"] = files.profile.string();
    std::cout << json_text(json);
    return;
  }
  if (line.has("full")) {
    std::cout << fit.full();
  } else {
    print_fits(fit, std::cout);
  }
  std::cout << "\nprofile: " << files.profile.string() << '\n';
  if (new_samples != nullptr) std::cout << "samples: " << files.samples.string() << '\n';
}

int calibrate(const CommandLine& line) {
  const PlanOptions options = plan_options(line);
  const MeasuredDevice device = device_of(line);
  const CalibrationFiles files = files_of(line, device);
  const MeasurementPlan plan =
      plan_of(line.has("quick") ? PlanKind::quick : PlanKind::full, device, options);
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
  finish(line, file, files, &file, files.partial);
  return 0;
}

/// Adds the links of several GPUs to the samples of one, and fits the profile again.
int calibrate_links(const CommandLine& line) {
  if (line.has("quick")) throw UsageError("--quick is for one device; name one with --device");
  const std::vector<int> gpus = gpus_of(line);
  const PlanOptions options = plan_options(line);
  const MeasuredDevice device = measured_gpus(gpus);
  const CalibrationFiles files = files_of(line, device);
  check_files(line, files);
  if (!fs::exists(files.samples)) {
    throw Error(files.samples.string() + ": no samples of one GPU to add links to; calibrate it " +
                "first (--device cuda:" + std::to_string(gpus.front()) + ")");
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
  finish(line, file, files, &file, files.partial);
  return 0;
}

int refit(const CommandLine& line) {
  const auto paths = line.get<std::vector<std::string>>("refit");
  refuse_repeated_files("--refit", paths);
  const bool several = paths.size() > 1;
  if (several && !line.has("out")) {
    throw UsageError("--refit: of several samples files there is one profile; name it with --out");
  }
  const fs::path own_profile = profile_path_of(paths.front());
  const CalibrationFiles files =
      calibration_files(line.has("out") ? fs::path(line.get<std::string>("out")) : own_profile);
  std::vector<SampleFile> runs;
  for (const std::string& path : paths) runs.push_back(read_samples(path));
  CommandFiles all;
  all.reads(line, "refit");
  all.writes("--out", files.profile);
  if (several) all.writes("the samples of --out", files.samples);
  all.draws(line, "plot");
  all.check(line.has("json"));
  if (!line.has("force")) {
    // The profile of these samples is what fitting them again is for.
    std::error_code error;
    const bool own = !several && (files.profile == own_profile ||
                                  fs::equivalent(files.profile, own_profile, error));
    if (!own) refuse_to_overwrite(files.profile);
    if (several) refuse_to_overwrite(files.samples);
  }
  const SampleFile merged = merge_samples(std::move(runs), paths);
  SampleFile fitted = merged;
  if (line.has("precision")) {
    const Precision precision = precisions_of(line).front();
    std::erase_if(fitted.samples,
                  [precision](const Sample& sample) { return sample.precision != precision; });
  }
  finish(line, fitted, files, several ? &merged : nullptr);
  return 0;
}

int check(const CommandLine& line) {
  const DeviceProfile profile = read_profile(line.get<std::string>("check"));
  PlanOptions options = plan_options(line);
  const bool gpu = profile.kind == DeviceProfile::Kind::gpu;
  const std::vector<int> gpus = gpus_of(line);
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
  if (!run_with_progress(plan_of(PlanKind::check, device, options), device, file, [] {})) {
    throw Interrupted("interrupted: nothing is checked");
  }
  const std::vector<KernelCheck> checks = check_profile(profile, file.samples);
  const bool passed = std::ranges::all_of(checks, &KernelCheck::passed);
  if (line.has("json")) {
    Json json = Json::array();
    for (const KernelCheck& each : checks) {
      json.push_back({{"precision", to_string(each.precision)},
                      {"kernel", each.key},
                      {"samples", each.samples},
                      {"median_ratio", each.median_ratio},
                      {"tolerance", each.tolerance},
                      {"passed", each.passed}});
    }
    std::cout << json_text(json);
    return passed ? 0 : 1;
  }
  Table table({"precision", "kernel", "samples", "measured / profile", "may be", ""});
  for (const KernelCheck& each : checks) {
    table.add_row({std::string(to_string(each.precision)), each.key, std::to_string(each.samples),
                   fixed(each.median_ratio, 2),
                   fixed(1 / (1 + each.tolerance), 2) + " to " + fixed(1 + each.tolerance, 2),
                   each.passed             ? "ok"
                   : each.median_ratio > 1 ? "slower"
                                           : "faster"});
  }
  table.print(std::cout);
  const auto failed = std::ranges::count(checks, false, &KernelCheck::passed);
  if (passed) {
    std::cout << "\nThe device behaves as calibrated.\n";
  } else {
    std::cout << '\n'
              << failed << " of " << checks.size()
              << " kernels do not behave as calibrated. If the machine is not busy, calibrate "
                 "again.\n";
  }
  return passed ? 0 : 1;
}

int compare(const CommandLine& line) {
  const auto files = line.get<std::vector<std::string>>("compare");
  if (files.size() != 2) {
    throw UsageError("--compare: " + std::to_string(files.size()) +
                     " profiles; expected two, as --compare monday.json friday.json");
  }
  refuse_repeated_files("--compare",
                        {find_profile(files[0]).string(), find_profile(files[1]).string()});
  const DeviceProfile first = read_profile(files[0]);
  const DeviceProfile second = read_profile(files[1]);
  if (first.device != second.device) {
    warn("'" + first.name + "' describes '" + first.device + "', '" + second.name + "' '" +
         second.device + "'");
  }
  std::vector<ParameterComparison> parameters = compare_profiles(first, second);
  if (parameters.empty()) {
    throw Error(files[0] + " and " + files[1] +
                ": no parameter of which both state the uncertainty; compare two profiles that "
                "were calibrated");
  }
  std::ranges::stable_sort(parameters, std::greater<>(), &ParameterComparison::deviations);
  const bool same = agree(parameters);
  if (line.has("json")) {
    Json list = Json::array();
    for (const ParameterComparison& each : parameters) {
      list.push_back({{"parameter", each.name},
                      {"unit", each.unit},
                      {"first", each.first},
                      {"second", each.second},
                      {"difference", each.difference},
                      {"standard_error", each.standard_error}});
    }
    std::cout << json_text(Json{{"agree", same},
                                {"within_two_errors", share_within(parameters, 2)},
                                {"within_three_errors", share_within(parameters, 3)},
                                {"parameters", list}});
    return same ? 0 : 1;
  }
  constexpr std::size_t most_rows = 10;
  const std::size_t rows =
      line.has("full") ? parameters.size() : std::min(most_rows, parameters.size());
  Table table({"parameter", "unit", first.name, second.name, "standard errors"});
  const auto four_digits = [](double number) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.4g", number);
    return std::string(text.data());
  };
  for (const ParameterComparison& each : std::span(parameters).first(rows)) {
    table.add_row({each.name, each.unit.empty() ? "-" : each.unit, four_digits(each.first),
                   four_digits(each.second), fixed(each.deviations(), 1)});
  }
  table.print(std::cout);
  std::cout << '\n'
            << parameters.size() << " parameters; " << percent(share_within(parameters, 2))
            << " differ by less than two standard errors, " << percent(share_within(parameters, 3))
            << " by less than three.\n"
            << (same
                    ? "The calibrations agree.\n"
                    : "The calibrations differ: another plan, another version of the program, or a "
                      "device in another state.\n");
  return same ? 0 : 1;
}

/// The number of an option. Throws `UsageError` unless it is positive, and of a size that hardware
/// has.
template <class Number>
Number positive(const CommandLine& line, const char* option) {
  const auto number = line.get<Number>(option);
  constexpr double most = 1e9;
  if (!(number > 0 && static_cast<double>(number) <= most)) {
    throw UsageError("--" + std::string(option) + ": expected a positive number, at most 1e9");
  }
  return number;
}

int estimate(const CommandLine& line) {
  if (!line.has("out")) throw UsageError("--estimate needs --out NAME.json");
  const fs::path profile_path = calibration_files(line.get<std::string>("out")).profile;
  DeviceSpecification device;
  device.name = profile_path.stem().string();
  for (const char* option : {"sms", "threads-per-sm", "bandwidth"}) {
    if (!line.has(option)) {
      throw UsageError("--estimate needs --sms, --threads-per-sm and --bandwidth");
    }
  }
  device.multiprocessors = positive<int>(line, "sms");
  device.threads_per_multiprocessor = positive<int>(line, "threads-per-sm");
  device.bandwidth_gbps = positive<double>(line, "bandwidth");
  if (line.has("memory")) {
    constexpr double gigabyte = 1e9;
    device.memory_bytes = static_cast<std::int64_t>(positive<double>(line, "memory") * gigabyte);
  }
  CommandFiles files;
  files.writes(line, "out");
  files.check();
  if (!line.has("force")) refuse_to_overwrite(profile_path);
  const DeviceProfile profile = estimated_profile(device);
  write_profile(profile_path, profile);
  const double mu = estimated_mu(device);
  const double sigma = estimated_sigma(device);
  if (line.has("json")) {
    std::cout << json_text(Json{{"profile", profile_path.string()},
                                {"mu", mu},
                                {"sigma", sigma},
                                {"nu", device.bandwidth_gbps}});
  } else {
    std::cout << "estimated, not measured (equations 4 and 5): mu " << fixed(mu, 2) << ", sigma "
              << fixed(sigma, 2) << ", nu " << format_number(device.bandwidth_gbps)
              << " GB/s\nprofile: " << profile_path.string() << '\n';
  }
  return 0;
}

int run(std::span<const std::string> arguments) {
  CommandLine line(
      "calibrate", "[--quick] [--out NAME.json] [options]",
      "Measures this machine and writes its profile: a JSON file with the throughput curves of "
      "all\n"
      "kernels, and beside it NAME.samples.csv with the raw samples. Takes about three minutes "
      "(a CPU\n"
      "that is not left alone up to six), with --quick half a minute; the machine should have "
      "nothing else to do. On a GPU (--device "
      "cuda:0)\n"
      "the steps of all schedules and whole iterations in all launch modes are measured; with "
      "several\nGPUs (--device cuda:0,cuda:1) only what they cost each other, in half a minute. "
      "Kernels\n"
      "are measured hot (the same buffers again), as a solver runs them. While it measures, "
      "samples "
      "are\nkept in NAME.partial.samples.csv every ten seconds: whatever ends it, --resume goes on "
      "from there.\nProfile and samples are written together at the end; a profile that is there "
      "is not overwritten\nwithout --force.",
      "sparsecast calibrate --quick --out mine.json --plot mine.svg");
  line.add()("device", po::value<std::string>(),
             "what to measure: cpu (default) or cuda:0; several GPUs, as cuda:0,cuda:1, add their "
             "links to "
             "the profile of one")("threads", po::value<int>(),
                                   "threads of the CPU; default 0: all")(
      "out", po::value<std::string>(), "the profile; default: named after the device")(
      "precision", po::value<std::string>(), "only f32 or only f64")(
      "quick", "fewer samples: half a minute")(
      "seed", po::value<std::uint64_t>(),
      "of the random sizes and matrices (default 1): a run with another seed measures others, and "
      "refitted together (--refit, twice) they make a better profile")(
      "resume", "go on where an interrupted calibration of the same name stopped")(
      "force", "overwrite a profile that is there, and discard an unfinished calibration")(
      "refit", po::value<std::vector<std::string>>(),
      "fit this samples file again; measures nothing. Several of one device, as --refit "
      "a.samples.csv --refit b.samples.csv, are one, with the fastest of each sample (needs "
      "--out, and writes its samples file too)")(
      "check", po::value<std::string>(),
      "measure ten seconds: does the device still behave as this profile says? exit status 0 or 1")(
      "compare", po::value<std::vector<std::string>>()->multitoken(),
      "two profiles of one device: are their parameters the same, but for what they state as their "
      "uncertainty? exit status 0 or 1; measures nothing")(
      "plot", po::value<std::string>(),
      "draw samples and curves (.svg, .png, .pdf), in f64 unless --precision f32")(
      "full", "print every fit with its uncertainties")("json", "print the fits as JSON")(
      "estimate", "profile of a GPU that nobody has measured, from the next four; needs --out")(
      "sms", po::value<int>(), "its multiprocessors")("threads-per-sm", po::value<int>(),
                                                      "most threads of each")(
      "bandwidth", po::value<double>(), "its memory bandwidth, GB/s")("memory", po::value<double>(),
                                                                      "its memory, GB");
  if (!line.parse(arguments)) return 0;
  refuse_combinations(line);
  if (gpus_of(line).size() > 1) return calibrate_links(line);
  if (line.has("refit")) return refit(line);
  if (line.has("check")) return check(line);
  if (line.has("compare")) return compare(line);
  if (line.has("estimate")) return estimate(line);
  return calibrate(line);
}

}  // namespace

extern const Command calibrate_command{"calibrate",
                                       "measure this machine's kernels and write its profile", run};

}  // namespace sparsecast::cli
