#pragma once

#include <cstdint>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/formats/device_csr.cuh"
#include "core/formats/sell/geometry.hpp"
#include "core/formats/sell/sell.hpp"
#include "core/workload/layout.hpp"

/// @file
/// The conversion from CSR to SELL by the GPU: the same bytes as `convert_to_sell` makes on the
/// host, which is the reference.

namespace sparsecast::cuda {

/// A segment in device memory, as `SellMatrix`.
template <class T>
struct DeviceSellArrays {
  DeviceArray<std::uint32_t> group_begins;
  DeviceArray<std::uint32_t> column_begins;
  DeviceArray<std::int32_t> bases;
  DeviceArray<std::uint8_t> columns;
  DeviceArray<T> values;
  DeviceArray<std::int32_t> row_index;

  SellSize size(const Layout& layout) const {
    return {bases.size(), columns.size() / sell_group(layout.slice_height)};
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(group_begins.bytes() + column_begins.bytes() + bases.bytes() +
                                     columns.bytes() + values.bytes() + row_index.bytes());
  }
};

/// Of the matrix's rows, which are a segment's. Waits for the GPU. Throws like
/// `require_sell_fits`.
template <class T>
DeviceSellArrays<T> make_sell(const DeviceCsr<T>& matrix, const Layout& layout);

/// Bytes of device memory that this takes beside the result, at most.
std::int64_t sell_conversion_bytes(std::int64_t rows, const Layout& layout);

}  // namespace sparsecast::cuda
