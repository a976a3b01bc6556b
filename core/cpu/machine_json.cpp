#include "core/cpu/machine_json.hpp"

namespace sparsecast {

JsonObject to_json(const CpuDescription& cpu) {
  return {{"device", "cpu"},
          {"name", cpu.name},
          {"threads", cpu.threads},
          {"instruction_set", cpu.instruction_set},
          {"l2_bytes_per_core", cpu.l2_bytes},
          {"l3_bytes", cpu.l3_bytes},
          {"memory_bytes", cpu.memory_bytes},
          {"available_bytes", cpu.available_bytes}};
}

}  // namespace sparsecast
