#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sparsecast::cuda {

/// Where memory of the current device comes from.
enum class MemoryKind {
  /// An allocation of its own, which takes as long as many small kernels; to free it waits for all.
  own,
  /// A piece of a pool that keeps some of the freed memory (`usable_memory` counts that as free),
  /// taken and given back in the order of the default stream: what another stream did with it must
  /// be over before it is freed. Where the device has no pools: `own`.
  pooled,
};
void* allocate_memory(std::size_t bytes, MemoryKind kind);
void free_memory(void* memory, MemoryKind kind) noexcept;

/// Bytes that are free on the current device, less what graphs and small allocations take.
std::int64_t usable_memory();

/// Throws `Error` ("WHAT needs A GB of GPU memory, B GB are free on cuda:0; ADVICE") when more than
/// those are needed.
void require_memory_for(const std::string& what, std::int64_t bytes, int device,
                        const std::string& advice);

}  // namespace sparsecast::cuda
