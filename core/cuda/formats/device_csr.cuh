#pragma once

#include <cstdint>

#include "core/cuda/device/device_array.cuh"
#include "core/matrix/csr.hpp"

/// @file
/// CSR in device memory, which formats convert from.

namespace sparsecast::cuda {

/// Where an array of CSR of so many bytes belongs. Large ones have an allocation of their own:
/// products of CSR on memory of a pool were up to 15 % slower on an H200 (27-point grids that fit
/// in its L2), those of blocks were not.
MemoryKind memory_of_csr(std::int64_t bytes);

/// An array there, uninitialised.
template <class Value>
DeviceArray<Value> array_of_csr(std::int64_t size) {
  return DeviceArray<Value>(size, memory_of_csr(size * static_cast<std::int64_t>(sizeof(Value))));
}

/// CSR in device memory.
template <class T>
struct DeviceCsr {
  /// Of a segment: its first row in the whole matrix, which is where stored columns count from.
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;
  DeviceArray<std::int64_t> row_offsets;
  DeviceArray<std::int32_t> column_indices;
  DeviceArray<T> values;

  DeviceCsr() = default;
  /// Copies from the host; columns and values are followed by zeros up to a multiple of
  /// `padding`.
  DeviceCsr(const CsrView<T>& matrix, std::int64_t padding);
};

}  // namespace sparsecast::cuda
