#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/cuda/device_array.cuh"

/// @file
/// Order and place of block rows, from the numbers of their blocks.

namespace sparsecast::cuda {

/// Device memory that is not needed any more. To free it takes as long as many kernels, and waits
/// for all of them: better when all is done.
using Spent = std::vector<std::shared_ptr<const void>>;

template <class T>
void put_aside(Spent& spent, DeviceArray<T> array) {
  spent.push_back(std::make_shared<DeviceArray<T>>(std::move(array)));
}

/// Sorts the first `rows` counts by falling count, equal ones in their order; returns where each
/// was.
DeviceArray<std::int32_t> order_by_falling_count(DeviceArray<std::int32_t>& counts,
                                                 std::int64_t rows, Spent& spent);

/// The sum of all counts before each.
DeviceArray<std::int64_t> sums_before(const DeviceArray<std::int32_t>& counts, Spent& spent);

}  // namespace sparsecast::cuda
