#pragma once

#include <cstdint>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/engine/ranks/halo_entries.hpp"

namespace sparsecast::cuda {

/// What a rank's rows multiply their halo by, in the memory of its GPU: the second half of a
/// product, once the halo is there.
template <class T>
class HaloProduct {
 public:
  /// Copies the entries to the current device.
  explicit HaloProduct(const HaloEntries<T>& entries);

  /// The launch of output += entries * input, by warps or parts of them for each row. Where
  /// `operands.finish` is active it sums input . (what it adds); partial sums are of its own.
  /// It waits for all that is in front of it in its stream.
  Launch launch(ProductOperands<T> operands, const Gate& gate) const;

  std::int64_t bytes() const;
  /// By one product, but for the values that it looks up.
  BytesByKind bytes_moved() const;
  std::int64_t entries() const { return values_.size(); }

 private:
  DeviceArray<std::int32_t> rows_;
  DeviceArray<std::int64_t> offsets_;
  DeviceArray<std::int32_t> columns_;
  DeviceArray<T> values_;
  DeviceArray<double> partials_;  ///< all 0 between launches
};

}  // namespace sparsecast::cuda
