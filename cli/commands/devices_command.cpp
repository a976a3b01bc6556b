#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/table.hpp"
#include "core/cpu/machine.hpp"
#include "core/cuda/device/gpu_devices.hpp"

namespace sparsecast::cli {
namespace {

std::string bytes_or_unknown(std::int64_t bytes) {
  return bytes > 0 ? format_bytes(static_cast<double>(bytes)) : "unknown";
}

nlohmann::ordered_json describe(const CpuDescription& cpu) {
  return {{"device", "cpu"},
          {"name", cpu.name},
          {"threads", cpu.threads},
          {"instruction_set", cpu.instruction_set},
          {"l2_bytes_per_core", cpu.l2_bytes},
          {"l3_bytes", cpu.l3_bytes},
          {"memory_bytes", cpu.memory_bytes},
          {"available_bytes", cpu.available_bytes}};
}

std::string name_of(const GpuDevice& gpu) {
  return "cuda:" + std::to_string(gpu.index);
}

std::string compute_capability(const GpuDevice& gpu) {
  return std::to_string(gpu.compute_capability_major) + "." +
         std::to_string(gpu.compute_capability_minor);
}

nlohmann::ordered_json describe(const GpuManagement& management) {
  using Json = nlohmann::ordered_json;
  Json json{{"core_clock_hertz", management.core_clock_hertz},
            {"memory_clock_hertz", management.memory_clock_hertz},
            {"most_core_clock_hertz", management.most_core_clock_hertz},
            {"most_memory_clock_hertz", management.most_memory_clock_hertz},
            {"multi_instance",
             management.multi_instance ? Json(*management.multi_instance) : Json(nullptr)},
            {"nvlink_peers", management.nvlink_peers}};
  json["other_processes"] = Json::array();
  for (const GpuProcess& process : management.other_processes) {
    json["other_processes"].push_back({{"id", process.id}, {"memory_bytes", process.memory_bytes}});
  }
  return json;
}

nlohmann::ordered_json describe(const GpuDevice& gpu, const GpuList& gpus) {
  return {{"device", name_of(gpu)},
          {"name", gpu.name},
          {"compute_capability", compute_capability(gpu)},
          {"multiprocessors", gpu.multiprocessors},
          {"threads_per_multiprocessor", gpu.threads_per_multiprocessor},
          {"l2_bytes", gpu.l2_bytes},
          {"memory_bytes", gpu.memory_bytes},
          {"available_bytes", gpu.free_bytes},
          {"memory_bus_bits", gpu.memory_bus_bits},
          {"core_clock_hertz", gpu.core_clock_hertz},
          {"memory_clock_hertz", gpu.memory_clock_hertz},
          {"ecc", gpu.ecc},
          {"pci_id", gpu.pci_id},
          {"peers", gpu.peers},
          {"management", gpu.management ? describe(*gpu.management) : nullptr},
          {"driver", gpus.driver_release},
          {"driver_cuda_version", gpus.driver_version},
          {"runtime_cuda_version", gpus.runtime_version}};
}

std::string megahertz(double hertz) {
  return hertz > 0 ? std::to_string(std::llround(1e-6 * hertz)) + " MHz" : "unknown";
}

/// How a GPU reaches the memory of another: "NVLink" or "PCIe", "yes" where the kind of link is
/// not known, "no" if it does not.
std::string reach(const GpuDevice& from, const GpuDevice& to) {
  if (from.index == to.index) return "-";
  if (std::ranges::find(from.peers, to.index) == from.peers.end()) return "no";
  if (!from.management) return "yes";
  return std::ranges::count(from.management->nvlink_peers, to.index) > 0 ? "NVLink" : "PCIe";
}

/// Who reaches whose memory, a row a GPU.
void print_peers(const GpuList& gpus) {
  if (gpus.devices.size() < 2) return;
  std::vector<std::string> header{"peer access"};
  for (const GpuDevice& to : gpus.devices) header.push_back("to " + name_of(to));
  Table table(header);
  for (const GpuDevice& from : gpus.devices) {
    std::vector<std::string> row{name_of(from)};
    for (const GpuDevice& to : gpus.devices) row.push_back(reach(from, to));
    table.add_row(row);
  }
  std::cout << '\n';
  table.print(std::cout);
}

std::string multi_instance(const GpuManagement& management) {
  if (!management.multi_instance) return "cannot";
  return *management.multi_instance ? "on" : "off";
}

/// "pid 4711 (1.2 GB), pid 4712"
std::string others_of(const GpuManagement& management) {
  std::string text;
  for (const GpuProcess& process : management.other_processes) {
    text += (text.empty() ? "pid " : ", pid ") + std::to_string(process.id);
    if (process.memory_bytes > 0) text += " (" + bytes_or_unknown(process.memory_bytes) + ")";
  }
  return text.empty() ? "none" : text;
}

/// What is true now, and may disturb a measurement.
void print_management(const GpuList& gpus) {
  if (!gpus.management_absence.empty()) {
    std::cout << "clocks, MIG and other processes unknown: " << gpus.management_absence << '\n';
    return;
  }
  std::cout << '\n';
  Table table(
      {"device", "core clock now", "most", "memory clock now", "most", "MIG", "other processes"});
  for (const GpuDevice& gpu : gpus.devices) {
    const GpuManagement unknown;
    const GpuManagement& management = gpu.management ? *gpu.management : unknown;
    table.add_row({name_of(gpu), megahertz(management.core_clock_hertz),
                   megahertz(management.most_core_clock_hertz),
                   megahertz(management.memory_clock_hertz),
                   megahertz(management.most_memory_clock_hertz),
                   gpu.management ? multi_instance(management) : "unknown",
                   gpu.management ? others_of(management) : "unknown"});
  }
  table.print(std::cout);
}

void print_gpus(const GpuList& gpus) {
  if (gpus.devices.empty()) {
    std::cout << "no GPUs: " << gpus.absence << '\n';
    return;
  }
  Table table({"device", "name", "capability", "SMs", "L2", "memory", "available", "bus",
               "core clock", "memory clock", "ECC", "PCI"});
  for (const GpuDevice& gpu : gpus.devices) {
    table.add_row({name_of(gpu), gpu.name, compute_capability(gpu),
                   std::to_string(gpu.multiprocessors), bytes_or_unknown(gpu.l2_bytes),
                   bytes_or_unknown(gpu.memory_bytes), bytes_or_unknown(gpu.free_bytes),
                   std::to_string(gpu.memory_bus_bits) + " bit", megahertz(gpu.core_clock_hertz),
                   megahertz(gpu.memory_clock_hertz), gpu.ecc ? "on" : "off", gpu.pci_id});
  }
  std::cout << '\n';
  table.print(std::cout);
  print_peers(gpus);
  print_management(gpus);
  std::cout << "CUDA: driver " << (gpus.driver_release.empty() ? "" : gpus.driver_release + " ")
            << "for " << gpus.driver_version << ", built with " << gpus.runtime_version << '\n';
}

int run(std::span<const std::string> arguments) {
  CommandLine line("devices", "[--json]",
                   "Lists the devices that this program can calibrate, predict for and run on. Of "
                   "GPUs those\nthat CUDA_VISIBLE_DEVICES names, in its order, with what they do "
                   "now: clocks, MIG mode and\nother programs that use them; and of several GPUs "
                   "which reach each other's memory, and\nover NVLink or PCIe.",
                   "sparsecast devices");
  line.add()("json", "print an array of objects");
  if (!line.parse(arguments)) return 0;

  const CpuDescription cpu = describe_cpu();
  const GpuList gpus = list_gpus();
  if (line.has("json")) {
    nlohmann::ordered_json devices = nlohmann::ordered_json::array({describe(cpu)});
    for (const GpuDevice& gpu : gpus.devices) devices.push_back(describe(gpu, gpus));
    std::cout << json_text(devices);
    return 0;
  }
  Table table(
      {"device", "name", "threads", "instructions", "L2 per core", "L3", "memory", "available"});
  table.add_row({"cpu", cpu.name, std::to_string(cpu.threads), cpu.instruction_set,
                 bytes_or_unknown(cpu.l2_bytes), bytes_or_unknown(cpu.l3_bytes),
                 bytes_or_unknown(cpu.memory_bytes), bytes_or_unknown(cpu.available_bytes)});
  table.print(std::cout);
  print_gpus(gpus);
  return 0;
}

}  // namespace

extern const Command devices_command;
const Command devices_command{"devices", "what this program can run on here", run};

}  // namespace sparsecast::cli
