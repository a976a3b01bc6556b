#pragma once

#include <cstdint>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/formats/device_csr.cuh"
#include "core/formats/csr_adaptive/csr_adaptive.hpp"

/// @file
/// The conversion from CSR to CSR-Adaptive by the GPU: the same bytes as `convert_to_adaptive`
/// makes on the host, which is the reference.

namespace sparsecast::cuda {

/// A segment in device memory, as `AdaptiveMatrix`.
template <class T>
struct DeviceAdaptiveArrays {
  DeviceArray<RowBlock> blocks;
  DeviceArray<std::uint16_t> row_ends;
  DeviceArray<std::uint8_t> columns;
  DeviceArray<T> values;

  AdaptiveSize size() const { return {blocks.size(), columns.size() / column_unit_bytes}; }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(blocks.bytes() + row_ends.bytes() + columns.bytes() +
                                     values.bytes());
  }
};

/// Of the matrix's rows, which are a segment's; takes its values. Waits for the GPU.
template <class T>
DeviceAdaptiveArrays<T> make_adaptive(DeviceCsr<T>&& matrix);

}  // namespace sparsecast::cuda
