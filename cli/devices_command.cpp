#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/table.hpp"
#include "core/machine.hpp"

namespace sparsecast::cli {
namespace {

std::string bytes_or_unknown(std::int64_t bytes) {
  return bytes > 0 ? format_bytes(static_cast<double>(bytes)) : "unknown";
}

int run(std::span<const std::string> arguments) {
  CommandLine line("devices", "[--json]",
                   "Lists the devices that this program can calibrate, predict for and run on.",
                   "sparsecast devices");
  line.add()("json", "print an array of objects");
  if (!line.parse(arguments)) return 0;

  const CpuDescription cpu = describe_cpu();
  if (line.has("json")) {
    const nlohmann::ordered_json devices = {{{"device", "cpu"},
                                             {"name", cpu.name},
                                             {"threads", cpu.threads},
                                             {"instruction_set", cpu.instruction_set},
                                             {"l2_bytes_per_core", cpu.l2_bytes},
                                             {"l3_bytes", cpu.l3_bytes},
                                             {"memory_bytes", cpu.memory_bytes},
                                             {"available_bytes", cpu.available_bytes}}};
    std::cout << devices.dump(2) << '\n';
    return 0;
  }
  Table table(
      {"device", "name", "threads", "instructions", "L2 per core", "L3", "memory", "available"});
  table.add_row({"cpu", cpu.name, std::to_string(cpu.threads), cpu.instruction_set,
                 bytes_or_unknown(cpu.l2_bytes), bytes_or_unknown(cpu.l3_bytes),
                 bytes_or_unknown(cpu.memory_bytes), bytes_or_unknown(cpu.available_bytes)});
  table.print(std::cout);
  std::cout << "no GPUs: built without CUDA\n";
  return 0;
}

}  // namespace

extern const Command devices_command;
const Command devices_command{"devices", "what this program can run on here", run};

}  // namespace sparsecast::cli
