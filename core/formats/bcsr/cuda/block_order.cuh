#pragma once

#include <cstdint>

#include "core/cuda/device/device_array.cuh"

/// @file
/// Order and place of block rows, from the numbers of their blocks.

namespace sparsecast::cuda {

/// Sorts the first `rows` counts by falling count, equal ones in their order; returns where each
/// was.
DeviceArray<std::int32_t> order_by_falling_count(DeviceArray<std::int32_t>& counts,
                                                 std::int64_t rows);

/// The sum of all counts before each, to `sums`.
void sum_before(const DeviceArray<std::int32_t>& counts, std::int64_t* sums);

}  // namespace sparsecast::cuda
