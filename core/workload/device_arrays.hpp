#pragma once

#include <cstdint>
#include <span>

/// @file
/// What depends on the sizes of arrays that are copied to a GPU: where the CUDA back end allocates
/// and how it copies them, and what that takes beside their bytes.

namespace sparsecast {

/// Arrays of CSR of so many bytes and more have an allocation of their own on the device; smaller
/// ones are of a pool.
inline constexpr std::int64_t least_own_bytes = std::int64_t{4} << 20;

/// So many bytes and more are copied by several threads of the host (core/cuda/device/host_copy).
inline constexpr std::int64_t least_shared_copy_bytes = std::int64_t{1} << 20;

/// What takes a time of its own when arrays of so many bytes are copied together: their own
/// allocations, and the threads.
inline int upload_starts(std::span<const double> array_bytes) {
  int starts = 0;
  double all = 0;
  for (const double bytes : array_bytes) {
    starts += bytes >= static_cast<double>(least_own_bytes) ? 1 : 0;
    all += bytes;
  }
  return starts + (all >= static_cast<double>(least_shared_copy_bytes) ? 1 : 0);
}

}  // namespace sparsecast
