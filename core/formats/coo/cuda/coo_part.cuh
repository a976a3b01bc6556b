#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/formats/device_csr.cuh"
#include "core/cuda/formats/device_matrix.cuh"

namespace sparsecast::cuda {

/// What a kernel gets of a `CooMatrix` in device memory; columns count from the segment's first
/// row.
template <class T>
struct CooStorage {
  std::int64_t entries = 0;
  std::int64_t intervals = 0;  ///< of entries, each for a warp
  std::int32_t* rows = nullptr;
  std::int32_t* columns = nullptr;
  T* values = nullptr;
  T* carries = nullptr;  ///< one an interval: the sum of its entries in the row of its last one
};

/// Entries of a segment on a GPU, as in `CooMatrix`, and their product: a whole matrix, or a part
/// of one.
template <class T>
class CooPart {
 public:
  CooPart() = default;
  /// Stores all entries but the first `skipped` of each row, of which there are `entries`, by the
  /// current device. `past_l1`: products load their input past the L1 cache.
  CooPart(const DeviceCsr<T>& matrix, std::int64_t skipped, std::int64_t entries, bool past_l1);

  /// output += A * input, behind a launch that counts the step; none where there are no entries.
  /// Sums are added in the same order every time.
  std::vector<Launch> add_launches(const ProductOperands<T>& operands, Gate gate) const;

  BytesByKind bytes_read() const;
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(rows_.bytes() + columns_.bytes() + values_.bytes() +
                                     carries_.bytes());
  }
  /// Bytes that so many entries of a segment take, and what is needed to store them.
  static std::int64_t bytes_bound(std::int64_t rows, std::int64_t skipped, std::int64_t entries);

 private:
  CooStorage<T> storage_;
  bool past_l1_ = false;
  DeviceArray<std::int32_t> rows_;
  DeviceArray<std::int32_t> columns_;
  DeviceArray<T> values_;
  DeviceArray<T> carries_;
};

}  // namespace sparsecast::cuda
