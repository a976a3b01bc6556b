#include "cli/commands/bench/bench_options.hpp"

#include <optional>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"

namespace sparsecast::cli {

bool is_gpu(const std::string& device) {
  return device.starts_with(gpu_kind);
}

int gpu_index(const std::string& device) {
  const std::optional<int> index = device_index(device, gpu_kind);
  if (!index) throw UsageError("--device " + device + ": expected a GPU, as in cuda:0");
  return *index;
}

void require_complete(std::size_t measured) {
  if (!InterruptGuard::interrupted()) return;
  throw Interrupted("interrupted; what was measured before is kept: " + std::to_string(measured) +
                    (measured == 1 ? " case" : " cases"));
}

}  // namespace sparsecast::cli
