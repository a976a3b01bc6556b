#pragma once

#include <cstdint>

#include "core/cuda/several/device_links.cuh"

namespace sparsecast::cuda {

/// What other devices store into the input meanwhile.
struct HaloWait {
  DeviceLinks links;
  std::uint32_t senders = 0;  ///< a bit a device
  /// A bit a block row, in natural order: those that look up another segment's values. Null:
  /// nothing to wait for.
  const std::uint32_t* outside = nullptr;
};

}  // namespace sparsecast::cuda
