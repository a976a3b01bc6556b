#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sparsecast::cuda {

/// Allocations of their own, on the current device. Each takes and gives back memory as long as
/// many small kernels take, and to free one waits for all of them.
struct OwnMemory {
  static void* allocate(std::size_t bytes);
  static void free(void* memory) noexcept;
};

/// Pieces of a pool that keeps some of the freed memory (`usable_memory` counts it as free), taken
/// and given back in the order of the default stream of the current device: what another stream did
/// with one must be over before it is freed. Where the device has no pools: `OwnMemory`.
struct PooledMemory {
  static void* allocate(std::size_t bytes);
  static void free(void* memory) noexcept;
};

/// Bytes that are free on the current device, less what graphs and small allocations take.
std::int64_t usable_memory();

/// Throws `Error` ("WHAT needs A GB of GPU memory, B GB are free on cuda:0; ADVICE") when more than
/// those are needed.
void require_memory_for(const std::string& what, std::int64_t bytes, int device,
                        const std::string& advice);

}  // namespace sparsecast::cuda
