#pragma once

#include <cstdint>

#include "core/bcsr.hpp"
#include "core/cuda/device_array.cuh"
#include "core/cuda/spmv.cuh"

namespace sparsecast::cuda {

/// A matrix in the memory of a GPU, in CSR or BCSR. Block rows as in `BcsrMatrix`; the values of
/// BCSR are interleaved: items (`items_per_block`) are stored in groups of 32, and of a group first
/// all first units (what one load takes, up to 16 bytes), then all second ones, and so on.
template <class T>
class SparseMatrix {
 public:
  SparseMatrix() = default;
  /// Uploads to the current device.
  SparseMatrix(const BcsrMatrix<T>& matrix, const CudaPolicy& policy);

  /// An upper bound of the bytes that a matrix with so many blocks needs.
  static std::int64_t bytes_bound(std::int64_t rows, std::int64_t blocks, int block_size,
                                  const CudaPolicy& policy);

  /// output = A * input. `input` is followed by `input_padding` zeros. An active `finish` sums
  /// input . output (A square), by `most_blocks` thread blocks besides those of long rows; it has
  /// memory for `most_dot_parts` partial sums, all 0 before the first launch.
  Launch multiply_launch(const T* input, T* output, const Gate& gate,
                         const BlockFinish& finish = {}, std::int64_t most_blocks = 0) const;
  std::int64_t most_dot_parts(std::int64_t most_blocks) const;

  const SegmentShape& shape() const { return shape_; }
  /// Of all arrays on the device.
  std::int64_t bytes() const;
  /// Bytes of values, indices and row offsets that one multiplication reads.
  BytesByKind bytes_read() const;
  int lanes() const { return lanes_; }

 private:
  void upload_values(const BcsrMatrix<T>& matrix);
  void find_long_rows(const BcsrMatrix<T>& matrix, const CudaPolicy& policy);

  int block_size_ = 1;
  int lanes_ = 1;
  std::int64_t rows_ = 0;
  std::int64_t blocks_ = 0;
  std::int64_t longest_short_row_ = 0;  ///< blocks; longer rows are in `pieces_`
  SegmentShape shape_;
  DeviceArray<std::uint32_t> offsets32_;  ///< where all positions of values fit
  DeviceArray<std::uint64_t> offsets64_;  ///< elsewhere
  DeviceArray<std::int32_t> columns_;
  DeviceArray<T> values_;
  DeviceArray<std::int32_t> row_index_;
  DeviceArray<LongPiece> pieces_;
  DeviceArray<T> piece_sums_;              ///< N a piece
  DeviceArray<std::int32_t> piece_count_;  ///< of a row that are done, at its first piece
};

}  // namespace sparsecast::cuda
