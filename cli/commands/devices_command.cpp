#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/reports/json_output.hpp"
#include "cli/reports/table.hpp"
#include "core/base/text/json_text.hpp"
#include "core/base/text/short_number.hpp"
#include "core/cpu/machine.hpp"
#include "core/cpu/machine_json.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/cuda/device/gpu_json.hpp"
#include "model/estimate/data_sheet.hpp"
#include "model/estimate/data_sheet_json.hpp"

namespace sparsecast::cli {
namespace {

std::string bytes_or_unknown(std::int64_t bytes) {
  return bytes > 0 ? format_bytes(static_cast<double>(bytes)) : "unknown";
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
  for (const GpuDevice& to : gpus.devices) header.push_back("to " + to.device_name());
  Table table(header);
  for (const GpuDevice& from : gpus.devices) {
    std::vector<std::string> row{from.device_name()};
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
    table.add_row({gpu.device_name(), megahertz(management.core_clock_hertz),
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
  // Two tables, each of which fits in a terminal.
  Table table({"device", "name", "capability", "SMs", "L2", "memory", "available"});
  Table bus({"device", "core clock", "memory clock", "bus", "ECC", "PCI"});
  for (const GpuDevice& gpu : gpus.devices) {
    table.add_row({gpu.device_name(), gpu.name, gpu.compute_capability(),
                   std::to_string(gpu.multiprocessors), bytes_or_unknown(gpu.l2_bytes),
                   bytes_or_unknown(gpu.memory_bytes), bytes_or_unknown(gpu.free_bytes)});
    bus.add_row({gpu.device_name(), megahertz(gpu.core_clock_hertz),
                 megahertz(gpu.memory_clock_hertz), std::to_string(gpu.memory_bus_bits) + " bit",
                 gpu.ecc ? "on" : "off", gpu.pci_id});
  }
  std::cout << '\n';
  table.print(std::cout);
  std::cout << '\n';
  bus.print(std::cout);
  print_peers(gpus);
  print_management(gpus);
  std::cout << "CUDA: driver " << (gpus.driver_release.empty() ? "" : gpus.driver_release + " ")
            << "for " << gpus.driver_version << ", built with " << gpus.runtime_version << '\n';
}

/// GPUs that need not be here: what `calibrate --like` can be asked for.
void print_sheets(bool json) {
  if (json) {
    JsonArray sheets;
    for (const DataSheet& sheet : data_sheets()) sheets.add(to_json(sheet));
    std::cout << json_head("devices").add("sheets", sheets).lines();
    return;
  }
  Table table({"GPU", "capability", "SMs", "clock", "memory bandwidth", "L2", "memory", "link"});
  for (const DataSheet& sheet : data_sheets()) {
    table.add_row(
        {sheet.name, sheet.compute_capability, std::to_string(sheet.multiprocessors),
         short_number(sheet.clock_mhz, 4) + " MHz", short_number(sheet.bandwidth_gbps, 4) + " GB/s",
         short_number(sheet.l2_mb) + " MB", short_number(sheet.memory_gb) + " GB",
         short_number(sheet.link_gbps) + " GB/s" +
             (sheet.link_devices > 0 ? " of " + std::to_string(sheet.link_devices) + " devices"
                                     : "")});
  }
  table.print(std::cout);
  std::cout << "\nBy data sheets, links in one direction; sources: --json.\n";
}

CommandLine make_command_line() {
  CommandLine line("devices", "[--sheets] [--json]",
                   "Lists the devices that this program can calibrate, predict for and run on. Of "
                   "GPUs those\nthat CUDA_VISIBLE_DEVICES names, in its order, with what they do "
                   "now: clocks, MIG mode and\nother programs that use them; and of several GPUs "
                   "which reach each other's memory, and\nover NVLink or PCIe.",
                   "sparsecast devices");
  line.add()("sheets",
             "list instead the GPUs whose data sheets are here, which calibrate --like takes")(
      "json", "print an object");
  return line;
}

int run(const CommandLine& line) {
  if (line.has("sheets")) {
    print_sheets(line.has("json"));
    return 0;
  }

  const CpuDescription cpu = describe_cpu();
  const GpuList gpus = list_gpus();
  if (line.has("json")) {
    JsonArray devices;
    devices.add(to_json(cpu));
    for (const GpuDevice& gpu : gpus.devices) devices.add(to_json(gpu, gpus));
    std::cout << json_head("devices").add("devices", devices).lines();
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
const Command devices_command{"devices", "what this program can run on here", make_command_line,
                              run};

}  // namespace sparsecast::cli
