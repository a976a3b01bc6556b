#pragma once

#include <cstdint>

#include "core/cuda/device/block_sum.cuh"
#include "core/cuda/several/device_links.cuh"

namespace sparsecast::cuda {

/// What other devices store into the input meanwhile.
struct HaloWait {
  DeviceLinks links;
  std::uint32_t senders = 0;  ///< a bit a device
  /// A bit a block row, in natural order: those that look up another segment's values. Null:
  /// nothing to wait for.
  const std::uint32_t* outside = nullptr;

  __device__ bool concerns(std::int32_t natural_row) const {
    return (__ldg(outside + natural_row / 32) >> (natural_row % 32) & 1) != 0;
  }
};

/// Returns when all that one of the warp's lanes looks up is there, or the run has ended, whose
/// results do not matter; all lanes ask.
__device__ inline void await_input(const HaloWait& halo, bool looks_outside) {
  if (__any_sync(whole_warp, looks_outside)) wait_for_parts(halo.links, halo.senders);
}

}  // namespace sparsecast::cuda
