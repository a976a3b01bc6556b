#pragma once

#include "core/base/text/json_text.hpp"
#include "core/cuda/device/gpu_devices.hpp"

namespace sparsecast {

/// One of the GPUs as an object, with what the driver says of itself.
JsonObject to_json(const GpuDevice& gpu, const GpuList& gpus);

}  // namespace sparsecast
