#pragma once

#include <cstdint>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/formats/device_csr.cuh"
#include "core/cuda/formats/device_matrix.cuh"

namespace sparsecast::cuda {

/// What a kernel gets of an `EllMatrix` in device memory; columns count from the segment's first
/// row.
template <class T>
struct EllStorage {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t stride = 0;
  std::int32_t* columns = nullptr;
  T* values = nullptr;
};

/// The first entries of each row of a segment on a GPU, as in `EllMatrix`, and their product: a
/// whole matrix, or a part of one.
template <class T>
class EllPart {
 public:
  EllPart() = default;
  /// Stores the first `width` entries of each row, by the current device. `past_l1`: products load
  /// their input past the L1 cache, and end with no sum.
  EllPart(const DeviceCsr<T>& matrix, std::int64_t width, bool past_l1);

  /// output = A * input, a thread a row (section 4.2); waits for halos row by row, ends with the
  /// sum if that is active.
  Launch launch(const ProductOperands<T>& operands, const Gate& gate) const;
  /// Partial sums of a product with a sum.
  std::int64_t dot_parts() const { return dot_parts(storage_.rows); }
  static std::int64_t dot_parts(std::int64_t rows);

  std::int64_t width() const { return storage_.width; }
  BytesByKind bytes_read() const;
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(columns_.bytes() + values_.bytes());
  }
  static std::int64_t bytes_of(std::int64_t rows, std::int64_t width);

 private:
  EllStorage<T> storage_;
  bool past_l1_ = false;
  DeviceArray<std::int32_t> columns_;
  DeviceArray<T> values_;
};

}  // namespace sparsecast::cuda
