#pragma once

#include <cstdint>

#include "core/cuda/device/device_array.cuh"

/// @file
/// Order and place of rows, from the numbers of what they hold.

namespace sparsecast::cuda {

/// Sorts the first `rows` counts by falling count, equal ones in their order; returns where each
/// was.
DeviceArray<std::int32_t> order_by_falling_count(DeviceArray<std::int32_t>& counts,
                                                 std::int64_t rows);

/// The order by falling count among each `window` neighbouring rows, equal ones in their order. The
/// counts stay as they are.
DeviceArray<std::int32_t> order_in_windows(const DeviceArray<std::int32_t>& counts,
                                           std::int64_t rows, int window);

/// The sum of all counts before each, to `sums`.
void sum_before(const DeviceArray<std::int32_t>& counts, std::int64_t* sums);

/// Each becomes the sum of itself and all before it; that of all, of one or more. Waits for the
/// GPU.
std::int64_t sum_up(DeviceArray<std::uint32_t>& counts);

}  // namespace sparsecast::cuda
