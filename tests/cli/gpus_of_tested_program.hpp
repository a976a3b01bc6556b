#pragma once

#include "cli/run_program.hpp"
#include "core/cuda/device/gpu_devices.hpp"

namespace sparsecast::testing {

/// The GPUs that the tested program sees: those that this one sees, or none where it was built
/// without CUDA, as sanitized ones are.
inline GpuList gpus_of_tested_program() {
  if (tested_program_has("CUDA")) return list_gpus();
  GpuList none;
  none.absence = "this program was built without CUDA";
  return none;
}

}  // namespace sparsecast::testing
