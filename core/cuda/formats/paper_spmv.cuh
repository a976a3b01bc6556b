#pragma once

#include <cstdint>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/workload/paper_mapping.hpp"

namespace sparsecast::cuda {

/// A matrix in the memory of a GPU in the paper's storage, and its multiplication by the paper's
/// mappings. Read-only cached loads take the place of textures.
template <class T>
class PaperMatrix final : public DeviceMatrix<T> {
 public:
  /// Uploads to the current device. Throws `Error` for a choice without a kernel
  /// (`paper_geometry`), and when matrix, padding and `bytes_beside`, which the caller is going to
  /// allocate, do not fit in the GPU's memory.
  PaperMatrix(const BcsrMatrix<T>& matrix, const PaperSpmv& choice, std::int64_t bytes_beside);
  /// Converts on the host first.
  explicit PaperMatrix(const SegmentSource<T>& source);

  /// Sums nothing: `operands.finish` is not active.
  Launch multiply_launch(const ProductOperands<T>& operands, const Gate& gate) const override;
  bool waits_for_halos() const override { return false; }
  std::int64_t most_dot_parts(std::int64_t most_blocks) const override { return most_blocks; }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override;
  BytesByKind bytes_read() const override;
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  int block_size_ = 1;
  PaperStorage storage_ = PaperStorage::plain;
  PaperGeometry geometry_;
  SegmentShape shape_;
  DeviceArray<std::int64_t> offsets_;
  DeviceArray<std::int32_t> columns_;
  DeviceArray<T> values_;
  DeviceArray<std::int32_t> row_index_;
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;
};

}  // namespace sparsecast::cuda
