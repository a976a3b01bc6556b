#include "cli/commands/validate/validation_options.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "cli/choice_options.hpp"
#include "cli/forecast_options.hpp"
#include "cli/layout_options.hpp"
#include "cli/own_schedule.hpp"
#include "cli/rank_system.hpp"
#include "cli/ranks.hpp"
#include "core/base/text/name_list.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/cuda/cuda_backend.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"
#include "core/open_backend.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "model/network/network_file.hpp"
#include "model/profile/profile_file.hpp"
#include "predict/counting/count_iterations.hpp"
#include "predict/forecast/traffic/parallel_forecast.hpp"

namespace sparsecast::cli {

namespace {

/// What runs here is not what is forecast of a library's solver.
void require_ours(const std::string& option, const Method& method) {
  if (!method.execution) return;
  throw UsageError(option + ": " + method.execution->library +
                   " carries it out, which this program does not run; bench/cupy_solvers.py sets "
                   "CuPy's beside their forecasts");
}

bool is_file(const std::string& name) {
  return name.ends_with(".json");
}

/// Those that --schedule names, of ours and of `own`.
std::vector<std::string> schedules_of(const CommandLine& line, const OwnSolvers& own) {
  std::vector<std::string> ours = built_in_names();
  ours.emplace_back(product_alone);
  const bool fused = names_fused(line);
  if (line.has("rtol")) ours = our_names();  // what `solve` solves by
  if (!line.has("schedule") && own.empty() && !fused) {
    return line.has("rtol") ? std::vector{fused_cg().name()} : ours;
  }
  std::vector<std::string> names;
  if (fused) names.push_back(fused_cg().name());
  std::string rest;
  for (const std::string& name : split_names(line.get_or("schedule", ""))) {
    if (!is_file(name)) rest += (rest.empty() ? "" : ",") + name;
  }
  if (!rest.empty()) names = parse_choice("--schedule", rest, ours);
  for (const auto& [name, unused] : own) names.push_back(name);
  return names;
}

std::vector<ValidatedSolver> make_solvers(const CommandLine& line,
                                          const ValidationRequest& request) {
  const bool gpu = request.gpu.has_value();
  const OwnSolvers& own = request.own;
  std::vector<LaunchMode> modes{LaunchMode::graph, LaunchMode::persistent};
  if (request.of_ranks) modes = {request.launch_on_several()};
  if (line.has("launch")) {
    if (!gpu) throw UsageError("--launch: a CPU has no launch modes; leave it out");
    modes = launch_modes_of(line);
  }
  const auto solvers = validated_solvers(schedules_of(line, own), modes, gpu, own);
  if (solvers.empty()) {
    throw UsageError("--schedule and --launch: there is no such combination" +
                     std::string(gpu ? "; some solvers have no persistent kernel"
                                     : "; the vendor's schedule needs a GPU"));
  }
  return solvers;
}

/// That of --exchange, which is given.
ExchangeMode exchange_of(const CommandLine& line) {
  return parse_exchange_option("--exchange", line.get<std::string>("exchange"));
}

/// How many ranks are on the host that has most. All of them call it.
int ranks_per_host() {
  std::map<std::string, int> counts;
  int most = 0;
  for (const std::string& host : hosts_of_ranks(*ranks())) most = std::max(most, ++counts[host]);
  return most;
}

/// Throws `UsageError` where a profile says nothing of what runs here.
void require_device_of(const DeviceProfile& profile, const std::string& device) {
  if (profile.kind == DeviceProfile::Kind::gpu && device == "cpu") {
    throw UsageError("profile " + profile.name + " describes " + profile.device +
                     ", a GPU; measure on one with --device cuda:0, or calibrate this machine's "
                     "CPU and use its profile");
  }
  if (ranks() == nullptr || device != "cpu" || !profile.traffic) return;
  const int threads = profile.traffic->cpu_threads;
  const int here = available_threads();
  if (threads == here) return;
  throw UsageError("profile " + profile.name + " is of " + std::to_string(threads) +
                   " threads, and a rank has " + std::to_string(here) +
                   " here; calibrate with --threads " + std::to_string(here) +
                   ", or start as many ranks as leave it " + std::to_string(threads));
}

/// How ranks exchange: as --exchange says, else by what --network knows, else halos.
ExchangeMode exchange_of_ranks(const CommandLine& line, const DeviceProfile& profile) {
  const bool cpu = profile.kind == DeviceProfile::Kind::cpu;
  ExchangeMode mode = ExchangeMode::halo;
  if (line.has("exchange")) {
    mode = exchange_of(line);
  } else if (profile.network) {
    mode = exchange_by(transport_on(profile));
  }
  if (!profile.network) return mode;
  const Transport transport = cpu ? Transport::mpi : *transport_of(mode);
  if (!profile.network->transports.contains(transport)) {
    throw UsageError("--network " + profile.network->name + ": does not know " +
                     std::string(to_string(transport)) + ", by which these ranks exchange");
  }
  return mode;
}

/// The same of several GPUs of one process: halos unless told.
ExchangeMode exchange_of_process(const CommandLine& line) {
  if (!line.has("exchange")) return ExchangeMode::halo;
  const ExchangeMode mode = exchange_of(line);
  if (mode != ExchangeMode::automatic && !is_between_ranks(mode)) return mode;
  throw UsageError("--exchange " + std::string(to_string(mode)) +
                   ": expected halo, peer or staged");
}

/// Of a GPU of this machine ("cuda:0"), or a part of it. Throws `Error` when there is no such one.
GpuShape gpu_shape(const std::string& device) {
  const GpuPart gpu = gpu_of(device);
  open_backend(device);  // says what there is
  return list_gpus().part(gpu).shape();
}

}  // namespace

void require_options_of_ranks(const CommandLine& line) {
  for (const char* option : {"from", "rtol", "devices"}) {
    if (!line.has(option)) continue;
    throw UsageError("--" + std::string(option) + " is for one process; leave it out under mpirun");
  }
  const std::string device = device_of(line);
  require_device_of_ranks(device);
  const bool network = line.has("network");
  if (!device.starts_with(gpu_kind)) {
    if (network) return;
    throw UsageError("--device " + device +
                     ": what ranks of CPUs cost each other is a network's; " +
                     "add --network NAME (mpirun sparsecast calibrate --links measures one)");
  }
  if (!line.has("exchange")) return;
  const ExchangeMode mode = exchange_of(line);
  const std::string option = "--exchange " + std::string(to_string(mode));
  if (mode != ExchangeMode::halo && !transport_of(mode)) {
    throw UsageError(option + ": of ranks it is halo, nccl, staged or gpu-aware");
  }
  if (mode == ExchangeMode::halo && network) {
    throw UsageError(option + ": is forecast by the profile's links; leave out --network");
  }
  if (mode != ExchangeMode::halo && !network) {
    throw UsageError(option + ": what that costs is a network's; add --network NAME");
  }
}

DeviceProfile profile_of(const CommandLine& line) {
  DeviceProfile profile = read_profile(line.get<std::string>("profile"));
  if (!line.has("network")) return profile;
  require_network_model(profile.for_model(line.get_or("model", "")));
  profile.network = read_network(line.get<std::string>("network"));
  if (ranks() != nullptr) profile.network->ranks_per_host = ranks_per_host();
  return profile;
}

GpuPart gpu_of(const std::string& device) {
  std::vector<GpuPart> gpus;
  try {
    gpus = parse_gpu_list(device);
  } catch (const Error&) {
    throw UsageError("--device " + device +
                     ": expected cpu, a GPU as cuda:0, or 32 multiprocessors of it as cuda:0/32");
  }
  if (gpus.size() > 1) {
    throw UsageError("--device " + device +
                     ": expected the first GPU; how many from there on says "
                     "--devices, as --device " +
                     to_string(gpus.front()) + " --devices 1," + std::to_string(gpus.size()));
  }
  return gpus.front();
}

std::string device_of(const CommandLine& line) {
  return line.get_or("device", "cpu");
}

OwnSolvers own_solvers(const CommandLine& line) {
  OwnSolvers own;
  for (const OwnSchedule& each : named_solvers(line, true)) {
    require_ours("--solver " + each.method.name, each.method);
    own.emplace(each.method.name, OwnSolver(each.method, each.settings));
  }
  std::vector<std::string> files;
  if (line.has("schedule")) files = split_names(line.get<std::string>("schedule"));
  std::erase_if(files, [](const std::string& name) { return !is_file(name); });
  for (const char* option : {"set", "restart", "precondition"}) {
    if (!line.has(option) || files.size() + own.size() == 1 || line.has("solver")) continue;
    throw UsageError("--" + std::string(option) + " goes with one --schedule FILE.json");
  }
  for (const std::string& file : files) {
    const OwnSchedule read = schedule_of_file(line, file);
    require_ours("--schedule " + file, read.method);
    if (!own.emplace(read.method.name, OwnSolver(read.method, read.settings)).second) {
      throw UsageError("--schedule " + file + ": there is a schedule '" + read.method.name +
                       "' already; give it another name");
    }
  }
  return own;
}

namespace {

/// Those of the profile, of times to solution those in which x can be so exact.
std::vector<Precision> usual_precisions(const CommandLine& line, const DeviceProfile& profile) {
  if (line.has("rtol")) {
    return comparable_precisions(line.get<double>("rtol"), std::span(&profile, 1), nullptr);
  }
  std::vector<Precision> precisions;
  for (const auto& [precision, unused] : profile.precisions) precisions.push_back(precision);
  return precisions;
}

}  // namespace

ValidationRequest make_request(const CommandLine& line, const DeviceProfile& profile,
                               const std::string& device) {
  require_device_of(profile, device);
  ValidationRequest request;
  request.of_ranks = ranks() != nullptr;
  request.own = own_solvers(line);
  request.layouts = layouts_of(line);
  request.devices = parse_device_counts("--devices", line.get_or("devices", "1"));
  if (request.of_ranks) request.devices = {ranks()->size()};
  if (device != "cpu") request.gpu = gpu_shape(device);
  const int devices = std::ranges::max(request.devices);
  if (!request.gpu && devices > most_cpu_groups) {
    throw UsageError("--devices " + std::to_string(devices) + ": a CPU is cut into at most " +
                     std::to_string(most_cpu_groups) + " groups of threads");
  }
  if (line.has("exchange") && !request.gpu) {
    throw UsageError("--exchange: of several GPUs; leave it out");
  }
  request.exchange =
      request.of_ranks ? exchange_of_ranks(line, profile) : exchange_of_process(line);
  request.solvers = make_solvers(line, request);
  request.precisions.clear();
  if (line.has("precision")) {
    for (const std::string& name : split_names(line.get<std::string>("precision"))) {
      request.precisions.push_back(parse_precision("--precision", name));
    }
  } else {
    request.precisions = usual_precisions(line, profile);
  }
  const double usual_seconds = line.has("rtol") ? 1 : request.gpu ? 0.01 : 0.5;
  request.seconds_per_case = positive_of(line, "seconds-per-case", usual_seconds);
  return request;
}

}  // namespace sparsecast::cli
