#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/links/link_law_fit.hpp"
#include "calibrate/links/link_measurement.hpp"
#include "calibrate/links/link_sample.hpp"
#include "calibrate/links/network_files.hpp"
#include "cli/command_files.hpp"
#include "cli/commands/calibrate/calibration_files.hpp"
#include "cli/commands/calibrate/programs.hpp"
#include "cli/gpu_of_rank.hpp"
#include "cli/ranks.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/network_report.hpp"
#include "cli/reports/progress.hpp"
#include "cli/reports/table_options.hpp"
#include "core/cpu/machine.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/cuda/ranks/gpu_links.hpp"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "model/network/network_file.hpp"

namespace sparsecast::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

NetworkFiles files_of_network(const CommandLine& line) {
  if (!line.has("out")) throw UsageError("--links needs --out NAME.network.json");
  try {
    return network_files(line.get<std::string>("out"));
  } catch (const Error& error) {
    throw UsageError("--out " + std::string(error.what()));
  }
}

int adapters_of(const CommandLine& line, int otherwise) {
  constexpr int most = 1024;
  const int adapters = line.get_or("adapters", otherwise);
  if (adapters >= 1 && adapters <= most) return adapters;
  throw UsageError("--adapters " + std::to_string(adapters) + ": expected 1 to " +
                   std::to_string(most));
}

/// Fits and writes. Without new samples (null) the network alone.
void write_fitted_network(const CommandLine& line, const LinkSampleFile& file,
                          const NetworkFiles& files, const LinkSampleFile* new_samples) {
  const NetworkFit fit = fit_network(file, files.name());
  write_measured_network(files, fit.network, new_samples);
  for (const std::string& warning : fit.warnings) warn(warning);
  if (line.has("json")) {
    Json errors = Json::object();
    for (const auto& [transport, error] : fit.median_errors) {
      errors[std::string(to_string(transport))] = error;
    }
    Json json{{"network", files.network.string()},
              {"costs", Json::parse(network_to_json(fit.network))},
              {"median_relative_errors", std::move(errors)}};
    if (new_samples != nullptr) json["sample_file"] = files.samples.string();
    std::cout << json_text(with_json_head("calibrate", std::move(json)));
    return;
  }
  print_network(fit, table_style(line), std::cout);
  std::cout << "\nnetwork: " << files.network.string() << '\n';
  if (new_samples != nullptr) std::cout << "samples: " << files.samples.string() << '\n';
}

/// On rank 0 alone, whose files they are: what it refuses, all ranks do.
void check_network_files(Communicator& all, const CommandLine& line, const NetworkFiles& files) {
  const std::string refusal = failure_of([&] {
    if (all.rank() != 0) return;
    CommandFiles outputs;
    outputs.writes("--out", files.network);
    outputs.writes("the samples of --out", files.samples);
    outputs.check(line.has("json"));
    if (line.has("force")) return;
    refuse_to_overwrite(files.network);
    refuse_to_overwrite(files.samples);
  });
  if (const auto error = first_error(all, refusal)) throw UsageError(error->text);
}

/// What the ranks are, each once: "AMD EPYC 9654, NVIDIA H200".
std::string joined_names(Communicator& all, const std::string& mine) {
  std::vector<std::string> different;
  for (const std::string& name : gather_texts(all, mine)) {
    if (std::ranges::count(different, name) == 0) different.push_back(name);
  }
  std::string text;
  for (const std::string& name : different) text += (text.empty() ? "" : ", ") + name;
  return text;
}

LinkSampleFile described(Communicator& all, const std::vector<std::string>& hosts,
                         const std::optional<GpuPart>& gpu) {
  const Environment environment = describe_environment();
  const CpuDescription cpu = describe_cpu();
  const auto host_count = std::set<std::string>(hosts.begin(), hosts.end()).size();
  LinkSampleFile file;
  file.environment = {{"operating_system", environment.operating_system},
                      {"compiler", environment.compiler},
                      {"program_version", environment.program_version},
                      {"date", environment.date},
                      {"mpi", mpi_library()},
                      {"ranks", std::to_string(all.size())},
                      {"hosts", std::to_string(host_count)},
                      {"host_cpu", joined_names(all, cpu.name)}};
  std::string devices = file.environment["host_cpu"];
  if (gpu) {
    const GpuList gpus = list_gpus();
    devices = joined_names(all, gpus.part(*gpu).name);
    file.environment["gpu"] = devices;
    file.environment["driver"] = gpus.driver_release;
    file.environment["cuda_version"] = gpus.runtime_version;
  }
  file.description = devices + "; " + std::to_string(all.size()) + " ranks on " +
                     std::to_string(host_count) + (host_count == 1 ? " host" : " hosts");
  return file;
}

/// What carries messages between such ranks. NCCL is left out, with a warning, where it does not
/// join them; without one what MPI cannot do.
std::vector<LinkMeasurement> measurements_of(Communicator& all, const std::optional<GpuPart>& gpu,
                                             LinkSampleFile& file) {
  if (!gpu) return {LinkMeasurement::of(Transport::mpi, host_links)};
  std::vector<LinkMeasurement> measurements;
  try {
    nccl_links(all, *gpu);
    file.environment["nccl"] = nccl_version();
    measurements.push_back(LinkMeasurement::of(
        Transport::nccl, [gpu](Communicator& some) { return nccl_links(some, *gpu); }));
  } catch (const Error& error) {
    warn("nccl is left out: " + std::string(error.what()));
  }
  if (all.carries_gpu_memory()) {
    measurements.push_back(LinkMeasurement::of(
        Transport::gpu_aware, [gpu](Communicator& some) { return gpu_aware_links(some, *gpu); }));
  }
  measurements.push_back(LinkMeasurement::of(
      Transport::staged, [gpu](Communicator& some) { return staged_links(some, *gpu); }));
  return measurements;
}

}  // namespace

int measure_network(const CommandLine& line) {
  const NetworkFiles files = files_of_network(line);
  const std::string device = line.get_or("device", "cpu");
  if (device != "cpu" && !device.starts_with(gpu_kind)) {
    throw UsageError("--device " + device +
                     ": ranks of mpirun have the CPU (cpu), or a GPU each (cuda:0,cuda:1)");
  }
  const int adapters = adapters_of(line, 1);
  if (ranks() == nullptr) {
    throw UsageError(
        "--links is measured between ranks; start it as mpirun -n 2 sparsecast calibrate --links "
        "--out NAME.network.json");
  }
  Communicator& all = *ranks();
  check_network_files(all, line, files);
  std::optional<GpuPart> gpu;
  if (device != "cpu") gpu = gpu_of_rank(all, device);
  const std::vector<std::string> hosts = hosts_of_ranks(all);
  LinkSampleFile file = described(all, hosts, gpu);
  file.adapters_per_host = adapters;
  {
    std::optional<Progress> progress;
    if (all.rank() == 0) progress.emplace("calibrate");
    const std::vector<LinkMeasurement> measurements = measurements_of(all, gpu, file);
    for (std::size_t i = 0; i < measurements.size(); ++i) {
      const auto show = [&](double done, const std::string& what) {
        if (!progress) return;
        const auto parts = static_cast<double>(measurements.size());
        progress->update((static_cast<double>(i) + done) / parts, what);
      };
      const std::vector<LinkSample> samples = measure_rank_links(all, hosts, measurements[i], show);
      file.samples.insert(file.samples.end(), samples.begin(), samples.end());
    }
  }
  if (all.rank() == 0) write_fitted_network(line, file, files, &file);
  return 0;
}

int refit_network(const CommandLine& line) {
  const auto paths = line.get<std::vector<std::string>>("refit");
  if (paths.size() > 1) throw UsageError("--refit: of --links one file is fitted; name one");
  if (ranks() != nullptr) {
    throw UsageError("--links and --refit are for one process; start it without mpirun");
  }
  const NetworkFiles files = files_of_network(line);
  CommandFiles all;
  all.reads(line, "refit");
  all.writes("--out", files.network);
  all.check(line.has("json"));
  LinkSampleFile file = read_link_samples(paths.front());
  file.adapters_per_host = adapters_of(line, file.adapters_per_host);
  // The network of these samples is what fitting them again is for.
  std::error_code error;
  const bool own = fs::equivalent(paths.front(), files.samples, error);
  if (!line.has("force") && !own) refuse_to_overwrite(files.network);
  write_fitted_network(line, file, files, nullptr);
  return 0;
}

}  // namespace sparsecast::cli
