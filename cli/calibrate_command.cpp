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

#include "calibrate/gpu_plan.hpp"
#include "calibrate/link_plan.hpp"
#include "calibrate/microbenchmarks.hpp"
#include "calibrate/profile_check.hpp"
#include "calibrate/profile_comparison.hpp"
#include "calibrate/profile_fit.hpp"
#include "cli/calibration_plot.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_output.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "core/backend.hpp"
#include "core/device_list.hpp"
#include "core/exchange_mode.hpp"
#include "core/machine.hpp"
#include "core/thread_team.hpp"

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

/// NAME.json -> NAME.samples.csv.
fs::path samples_path_of(fs::path profile) {
  return profile.replace_extension(".samples.csv");
}

/// NAME.samples.csv -> NAME.json.
fs::path profile_path_of(fs::path samples) {
  samples.replace_extension();
  if (samples.extension() == ".samples") samples.replace_extension();
  return samples += ".json";
}

void require_json_ending(const fs::path& path) {
  if (path.extension() != ".json") {
    throw UsageError("--out " + path.string() + ": expected a name that ends in .json");
  }
}

/// Only one of these may be asked for, and only together with options that mean something there.
void refuse_combinations(const CommandLine& line) {
  std::vector<std::string> modes;
  for (const char* mode : {"refit", "check", "compare", "estimate"}) {
    if (line.has(mode)) modes.push_back(std::string("--") + mode);
  }
  if (modes.size() > 1) throw UsageError(modes[0] + " and " + modes[1] + " exclude each other");
  if (modes.empty()) return;
  for (const char* option : {"quick", "resume", "seed"}) {
    if (line.has(option)) {
      throw UsageError(std::string("--") + option + " means nothing with " + modes[0]);
    }
  }
  if (line.has("plot") && modes[0] != "--refit") {
    throw UsageError("--plot means nothing with " + modes[0] + ", which keeps no samples");
  }
}

std::vector<Precision> precisions_of(const CommandLine& line) {
  if (!line.has("precision")) return {Precision::f32, Precision::f64};
  return {parse_precision("--precision", line.get<std::string>("precision"))};
}

int threads_of(const CommandLine& line) {
  const int threads = line.get<int>("threads");
  if (threads < 0) {
    throw UsageError("--threads " + std::to_string(threads) + ": expected 0 (all) or more");
  }
  return threads == 0 ? available_threads() : threads;
}

PlanOptions plan_options(const CommandLine& line) {
  PlanOptions options;
  options.precisions = precisions_of(line);
  options.threads = threads_of(line);
  if (line.has("seed")) options.seed = line.get<std::uint64_t>("seed");
  const CpuDescription cpu = describe_cpu();
  if (cpu.l3_bytes > 0) options.cache_bytes = cpu.l3_bytes;
  return options;
}

/// The GPUs of --device ("cuda:0,cuda:1"); none for a CPU. Throws for what is no list of GPUs.
std::vector<int> gpus_of(const CommandLine& line) {
  const auto& text = line.get<std::string>("device");
  if (!text.starts_with(gpu_kind)) return {};
  try {
    return parse_device_list(text, gpu_kind);
  } catch (const Error&) {
    throw UsageError("--device " + text +
                     ": expected cpu, cuda:0, or several GPUs as "
                     "cuda:0,cuda:1");
  }
}

/// The device of --device. Throws for devices that are not there, and groups of threads.
MeasuredDevice device_of(const CommandLine& line) {
  if (const std::vector<int> gpus = gpus_of(line); !gpus.empty()) return measured_gpus(gpus);
  const std::string device = line.get<std::string>("device");
  const int threads = threads_of(line);
  if (open_backend(device, threads)->device_count() != 1) {
    throw UsageError("--device " + device +
                     ": a profile describes one device; links between thread groups are measured "
                     "with it");
  }
  return measured_cpu(threads);
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

std::string fixed(double number, int digits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, number);
  return text.data();
}

std::string percent(double share) {
  return fixed(100 * share, 1) + " %";
}

void print_fits(const ProfileFit& fit) {
  Table curves({"precision", "kernel", "mu", "sigma", "nu GB/s", "T0", "half at m", "error",
                "samples", "max. GB/s", "memory GB/s"});
  for (const KernelFit& kernel : fit.kernels) {
    if (!kernel.ok()) continue;
    const ThroughputCurve& curve = kernel.average.curve;
    const double value_bytes =
        static_cast<double>(bytes_per_value(kernel.precision.value_or(Precision::f64)));
    curves.add_row({kernel.precision ? std::string(to_string(*kernel.precision)) : "both",
                    kernel.key, fixed(curve.mu, 2),
                    fixed(curve.sigma, 3) + (kernel.average.latency_bandwidth_law ? "*" : ""),
                    format_number(curve.nu), format_seconds(fixed_seconds(curve, value_bytes)),
                    format_number(std::round(half_performance_elements(curve))),
                    percent(kernel.average.median_relative_error),
                    std::to_string(kernel.average.samples), format_number(kernel.maximum.curve.nu),
                    curve.memory_nu > 0 ? format_number(curve.memory_nu) : "-"});
  }
  curves.print(std::cout);
  std::cout << "* sigma at 1/ln 2: T = T0 + s*m/nu, the latency-bandwidth law. error: median, of "
               "time.\n";
  if (fit.profile.cache) {
    std::cout << "cache: " << format_bytes(fit.profile.cache->capacity_bytes)
              << " effective; what a working set does not leave in it comes at memory GB/s.\n";
  }
  if (!fit.profile.links.empty()) {
    std::cout << '\n';
    Table links({"devices", "synchronisation", "exchange GB/s"});
    Table costs({"GPUs", "exchange", "fixed", "GB/s", "hidden", "sum"});
    bool any_costs = false;
    for (const auto& [devices, link] : fit.profile.links) {
      links.add_row({std::to_string(devices), format_seconds(link.sync_seconds),
                     format_number(link.exchange.average.nu)});
      if (!link.costs) continue;
      any_costs = true;
      for (const auto& [mode, of_mode] : link.costs->exchanges) {
        costs.add_row({std::to_string(devices), std::string(to_string(mode)),
                       format_seconds(of_mode.fixed_seconds.value),
                       format_number(of_mode.gbps.value), percent(of_mode.hidden.value),
                       format_seconds(link.costs->sum_seconds.value)});
      }
    }
    links.print(std::cout);
    if (any_costs) {
      std::cout << "\nIn iterations (traffic model):\n";
      costs.print(std::cout);
    }
  }
  if (!fit.intervals.empty()) {
    std::cout << "\nWhole iterations on other matrices, measured / predicted time:\n";
    Table intervals({"precision", "layout", "median", "90 % from", "to", "matrices"});
    for (const IntervalFit& interval : fit.intervals) {
      intervals.add_row({std::string(to_string(interval.precision)), interval.layout,
                         fixed(interval.median, 2), fixed(interval.ratios.low, 2),
                         fixed(interval.ratios.high, 2), std::to_string(interval.ratios.samples)});
    }
    intervals.print(std::cout);
  }
}

Json fits_as_json(const ProfileFit& fit) {
  Json curves = Json::array();
  for (const KernelFit& kernel : fit.kernels) {
    Json entry{{"precision", kernel.precision ? Json(to_string(*kernel.precision)) : Json()},
               {"kernel", kernel.key},
               {"status", to_string(kernel.average.status)},
               {"samples", kernel.average.samples}};
    if (kernel.ok()) {
      const ThroughputCurve& average = kernel.average.curve;
      const ThroughputCurve& maximum = kernel.maximum.curve;
      const auto errors = kernel.average.standard_errors();
      entry["average"] = {{"mu", average.mu}, {"sigma", average.sigma}, {"nu", average.nu}};
      if (average.memory_nu > 0) entry["average"]["memory_nu"] = average.memory_nu;
      entry["standard_errors"] = {{"mu", errors[0]}, {"sigma", errors[1]}, {"log_nu", errors[2]}};
      entry["maximum"] = {{"mu", maximum.mu}, {"sigma", maximum.sigma}, {"nu", maximum.nu}};
      entry["latency_bandwidth_law"] = kernel.average.latency_bandwidth_law;
      entry["median_relative_error"] = kernel.average.median_relative_error;
      entry["maximum_coverage"] = kernel.maximum.coverage;
    } else {
      entry["reason"] = kernel.average.reason;
    }
    curves.push_back(std::move(entry));
  }
  Json intervals = Json::array();
  for (const IntervalFit& interval : fit.intervals) {
    intervals.push_back({{"precision", to_string(interval.precision)},
                         {"layout", interval.layout},
                         {"median", interval.median},
                         {"low", interval.ratios.low},
                         {"high", interval.ratios.high},
                         {"matrices", interval.ratios.samples}});
  }
  Json links = Json::array();
  for (const auto& [devices, link] : fit.profile.links) {
    links.push_back({{"devices", devices},
                     {"sync_seconds", link.sync_seconds},
                     {"exchange_gbps", link.exchange.average.nu}});
  }
  return {{"device", fit.profile.device},
          {"curves", curves},
          {"intervals", intervals},
          {"links", links},
          {"warnings", fit.warnings}};
}

/// Fits, writes the profile, plots and prints.
int finish(const CommandLine& line, const SampleFile& file, const fs::path& profile_path) {
  const ProfileFit fit = fit_profile(file, profile_path.stem().string());
  write_profile(profile_path, fit.profile);
  if (line.has("plot")) {
    const std::vector<Precision> precisions = precisions_of(line);
    plot_calibration(line.get<std::string>("plot"), file, fit, precisions.back());
  }
  for (const std::string& warning : fit.warnings) warn(warning);
  if (line.has("json")) {
    Json json = fits_as_json(fit);
    json["profile"] = profile_path.string();
    std::cout << json_text(json);
  } else if (line.has("full")) {
    std::cout << fit.full();
  } else {
    print_fits(fit);
  }
  if (!line.has("json")) std::cout << "\nprofile: " << profile_path.string() << '\n';
  return 0;
}

int calibrate(const CommandLine& line) {
  const PlanOptions options = plan_options(line);
  const MeasuredDevice device = device_of(line);
  const SampleOrigin& origin = device.origin;
  const fs::path profile_path = line.has("out") ? fs::path(line.get<std::string>("out"))
                                                : fs::path(file_name_of(origin.device) + ".json");
  require_json_ending(profile_path);
  const fs::path samples_path = samples_path_of(profile_path);
  const MeasurementPlan plan =
      plan_of(line.has("quick") ? PlanKind::quick : PlanKind::full, device, options);

  SampleFile file;
  if (line.has("resume")) {
    file = read_samples(samples_path);
    if (file.origin.device != origin.device) {
      throw Error(samples_path.string() + ": samples of '" + file.origin.device + "'; this is '" +
                  origin.device + "'; calibrate without --resume");
    }
    if (file.plan != plan.name) {
      throw Error(samples_path.string() + ": samples of the " + file.plan + " plan; resume it " +
                  (file.plan == "quick" ? "with" : "without") + " --quick");
    }
  } else {
    file.origin = origin;
  }
  const auto save = [&] { write_samples(samples_path, file); };
  bool finished = false;
  try {
    finished = run_with_progress(plan, device, file, save);
  } catch (const Error&) {
    save();
    throw;
  }
  save();
  if (!finished) {
    throw Error("interrupted: " + std::to_string(file.samples.size()) + " samples are in " +
                samples_path.string() + "; go on with --resume");
  }
  const int status = finish(line, file, profile_path);
  if (!line.has("json")) std::cout << "samples: " << samples_path.string() << '\n';
  return status;
}

/// Adds the links of several GPUs to the samples of one, and fits the profile again.
int calibrate_links(const CommandLine& line) {
  for (const char* option : {"quick", "refit", "check", "estimate"}) {
    if (line.has(option)) {
      throw UsageError("--" + std::string(option) + " is for one device; name one with --device");
    }
  }
  const std::vector<int> gpus = gpus_of(line);
  const PlanOptions options = plan_options(line);
  const MeasuredDevice device = measured_gpus(gpus);
  const fs::path profile_path = line.has("out")
                                    ? fs::path(line.get<std::string>("out"))
                                    : fs::path(file_name_of(device.origin.device) + ".json");
  require_json_ending(profile_path);
  const fs::path samples_path = samples_path_of(profile_path);
  if (!fs::exists(samples_path)) {
    throw Error(samples_path.string() + ": no samples of one GPU to add links to; calibrate it " +
                "first (--device cuda:" + std::to_string(gpus.front()) + ")");
  }
  SampleFile file = read_samples(samples_path);
  if (file.origin.device != device.origin.device) {
    throw Error(samples_path.string() + ": samples of '" + file.origin.device + "'; this is '" +
                device.origin.device + "'; name its profile with --out");
  }
  // Those measured before, and with --resume go on with.
  SampleFile links;
  links.origin = device.origin;
  const auto of_links = [](const Sample& sample) { return !sample.exchange.empty(); };
  if (line.has("resume"))
    std::ranges::copy_if(file.samples, std::back_inserter(links.samples), of_links);
  std::erase_if(file.samples, of_links);
  const SampleFile one_gpu = file;
  const auto save = [&] {
    file = one_gpu;
    file.samples.insert(file.samples.end(), links.samples.begin(), links.samples.end());
    for (const char* key : {"date", "driver", "program_version", "other_processes"}) {
      const auto found = device.origin.environment.find(key);
      if (found != device.origin.environment.end()) {
        file.origin.environment["links_" + std::string(key)] = found->second;
      }
    }
    file.origin.environment["links_devices"] = line.get<std::string>("device");
    write_samples(samples_path, file);
  };
  const MeasurementPlan plan = gpu_link_plan(static_cast<int>(gpus.size()), options);
  bool finished = false;
  try {
    finished = run_with_progress(plan, device, links, save);
  } catch (const Error&) {
    save();
    throw;
  }
  save();
  if (!finished) {
    throw Error("interrupted: " + std::to_string(links.samples.size()) +
                " samples of links are in " + samples_path.string() + "; go on with --resume");
  }
  const int status = finish(line, file, profile_path);
  if (!line.has("json")) std::cout << "samples: " << samples_path.string() << '\n';
  return status;
}

int refit(const CommandLine& line) {
  const auto paths = line.get<std::vector<std::string>>("refit");
  const bool several = paths.size() > 1;
  if (several && !line.has("out")) {
    throw UsageError("--refit: of several samples files there is one profile; name it with --out");
  }
  const fs::path profile_path =
      line.has("out") ? fs::path(line.get<std::string>("out")) : profile_path_of(paths.front());
  require_json_ending(profile_path);
  const fs::path merged_path = samples_path_of(profile_path);
  std::vector<SampleFile> runs;
  for (const std::string& path : paths) {
    if (several && fs::exists(merged_path) && fs::equivalent(path, merged_path)) {
      throw UsageError("--out " + profile_path.string() + ": its samples file " + path +
                       " is one of those to fit; choose another name");
    }
    runs.push_back(read_samples(path));
  }
  SampleFile file = merge_samples(std::move(runs), paths);
  if (several) write_samples(merged_path, file);
  if (line.has("precision")) {
    const Precision precision = precisions_of(line).front();
    std::erase_if(file.samples,
                  [precision](const Sample& sample) { return sample.precision != precision; });
  }
  return finish(line, file, profile_path);
}

int check(const CommandLine& line) {
  const DeviceProfile profile = read_profile(line.get<std::string>("check"));
  PlanOptions options = plan_options(line);
  const bool gpu = profile.kind == DeviceProfile::Kind::gpu;
  if (gpu == (line.get<std::string>("device") == "cpu")) {
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
    throw Error("interrupted: nothing is checked");
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

int estimate(const CommandLine& line) {
  if (!line.has("out")) throw UsageError("--estimate needs --out NAME.json");
  const fs::path profile_path = line.get<std::string>("out");
  require_json_ending(profile_path);
  DeviceSpecification device;
  device.name = profile_path.stem().string();
  for (const char* option : {"sms", "threads-per-sm", "bandwidth"}) {
    if (!line.has(option)) {
      throw UsageError("--estimate needs --sms, --threads-per-sm and --bandwidth");
    }
  }
  device.multiprocessors = line.get<int>("sms");
  device.threads_per_multiprocessor = line.get<int>("threads-per-sm");
  device.bandwidth_gbps = line.get<double>("bandwidth");
  if (line.has("memory")) {
    constexpr double gigabyte = 1e9;
    device.memory_bytes = static_cast<std::int64_t>(line.get<double>("memory") * gigabyte);
  }
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
      "are measured hot (the same buffers again), as a solver runs them. Ctrl-C keeps what was\n"
      "measured.",
      "sparsecast calibrate --quick --out mine.json --plot mine.svg");
  line.add()("device", po::value<std::string>()->default_value("cpu"),
             "what to measure: cpu or cuda:0; several GPUs, as cuda:0,cuda:1, add their links to "
             "the profile of one")("threads", po::value<int>()->default_value(0),
                                   "threads of the CPU; 0: all")(
      "out", po::value<std::string>(), "the profile; default: named after the device")(
      "precision", po::value<std::string>(), "only f32 or only f64")(
      "quick", "fewer samples: half a minute")(
      "seed", po::value<std::uint64_t>(),
      "of the random sizes and matrices (default 1): a run with another seed measures others, and "
      "refitted together (--refit, twice) they make a better profile")(
      "resume", "go on where an interrupted calibration of the same name stopped")(
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
