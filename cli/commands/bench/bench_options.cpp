#include "cli/commands/bench/bench_options.hpp"

#include <vector>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/device_list.hpp"

namespace sparsecast::cli {

bool is_gpu(const std::string& device) {
  return device.starts_with(gpu_kind);
}

GpuPart benched_gpu(const std::string& device) {
  std::vector<GpuPart> gpus;
  try {
    gpus = parse_gpu_list(device);
  } catch (const Error&) {
    // Says the same as of several.
  }
  if (gpus.size() == 1) return gpus.front();
  throw UsageError("--device " + device + ": expected a GPU, as in cuda:0, or a part, cuda:0/32");
}

void require_complete(std::size_t measured) {
  if (!InterruptGuard::interrupted()) return;
  throw Interrupted("interrupted; what was measured before is kept: " + std::to_string(measured) +
                    (measured == 1 ? " case" : " cases"));
}

}  // namespace sparsecast::cli
