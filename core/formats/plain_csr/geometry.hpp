#pragma once

#include <cstdint>

#include "core/base/precision.hpp"
#include "core/workload/gpu_execution.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// How the two products of CSR of Bell and Garland 2008 share rows, as plain numbers
/// (`core/formats/plain_csr/cuda.cu`): `lanes` threads a row, 1 or a warp.

namespace sparsecast {

inline constexpr int plain_csr_threads = 256;

/// Entries that a lane loads before it uses the first: its loop is unrolled so far by compilers,
/// which take the entries that are left over one by one, before the others.
inline constexpr int plain_csr_entries_at_once = 4;

/// Thread blocks that a multiprocessor has registers for (`__launch_bounds__`).
template <class T, bool finishes>
inline constexpr int plain_csr_resident_blocks = sizeof(T) == 4 || finishes ? 6 : 8;

/// Those of a lane's entries that it takes one by one.
constexpr std::int64_t plain_csr_left_over(std::int64_t entries) {
  return entries % plain_csr_entries_at_once;
}
/// Passes that a lane with so many entries makes.
constexpr std::int64_t plain_csr_passes(std::int64_t entries) {
  return plain_csr_left_over(entries) + entries / plain_csr_entries_at_once;
}

SpmvExecution plain_csr_execution(const SegmentShape& shape, int lanes);

/// What these kernels load before they wait: priced as `csr`.
ProductGeometry plain_csr_geometry(Precision precision, int lanes);

}  // namespace sparsecast
