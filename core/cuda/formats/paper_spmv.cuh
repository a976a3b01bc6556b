#pragma once

#include <cstdint>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/vector/vector_kernels.cuh"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/workload/paper_mapping.hpp"

namespace sparsecast::cuda {

/// A matrix in the memory of a GPU in the paper's storage, and its multiplication by the paper's
/// mappings. Read-only cached loads take the place of textures.
template <class T>
class PaperMatrix {
 public:
  PaperMatrix() = default;
  /// Uploads to the current device. Throws `Error` for a choice without a kernel
  /// (`paper_geometry`), and when matrix, padding and `bytes_beside`, which the caller is going to
  /// allocate, do not fit in the GPU's memory.
  PaperMatrix(const BcsrMatrix<T>& matrix, const PaperSpmv& choice, std::int64_t bytes_beside);

  /// output = A * input. `input` is followed by `input_padding` zeros.
  Launch multiply_launch(const T* input, T* output, const Gate& gate) const;

  /// Elements and blocks with all padding.
  const SegmentShape& shape() const { return shape_; }
  /// Of all arrays on the device.
  std::int64_t bytes() const;
  /// Bytes of values, indices and offsets that one multiplication reads.
  BytesByKind bytes_read() const;

 private:
  int block_size_ = 1;
  PaperStorage storage_ = PaperStorage::plain;
  PaperGeometry geometry_;
  SegmentShape shape_;
  DeviceArray<std::int64_t> offsets_;
  DeviceArray<std::int32_t> columns_;
  DeviceArray<T> values_;
  DeviceArray<std::int32_t> row_index_;
};

}  // namespace sparsecast::cuda
