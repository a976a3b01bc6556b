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

/// What copying arrays together takes time for.
struct UploadTerms {
  double arrays = 0;
  double starts = 0;         ///< allocations of their own, and the threads'
  double driver_bytes = 0;   ///< copied by the driver, on one thread
  double threads_bytes = 0;  ///< by several threads
};

/// `allocates`: memory for them, as for those of a matrix; vectors have theirs already.
inline UploadTerms upload_terms(std::span<const double> array_bytes, bool allocates) {
  UploadTerms terms;
  double all = 0;
  for (const double bytes : array_bytes) {
    terms.arrays += 1;
    terms.starts += allocates && bytes >= static_cast<double>(least_own_bytes) ? 1 : 0;
    all += bytes;
  }
  const bool shared = all >= static_cast<double>(least_shared_copy_bytes);
  if (shared) terms.starts += 1;
  (shared ? terms.threads_bytes : terms.driver_bytes) = all;
  return terms;
}

}  // namespace sparsecast
