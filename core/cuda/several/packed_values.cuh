#pragma once

#include <cstdint>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/vector/vector_kernels.cuh"
#include "core/engine/ranks/rank_part.hpp"

namespace sparsecast::cuda {

/// The values of own rows that a rank sends to others, packed on its GPU: those for one rank after
/// those for the other, in the order of `HaloExchange::sends`; in an allocation of
/// `MemoryKind::own`, which MPI may be given.
template <class T>
class PackedValues {
 public:
  PackedValues() = default;
  /// On the current device.
  explicit PackedValues(const RankPart& part);

  /// Packs them of a vector's own rows.
  Launch pack_launch(const T* own) const;

  const T* data() const { return packed_.data(); }
  std::int64_t size() const { return packed_.size(); }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(places_.bytes() + packed_.bytes());
  }

 private:
  DeviceArray<std::int32_t> places_;  ///< in the own rows
  DeviceArray<T> packed_;
};

}  // namespace sparsecast::cuda
