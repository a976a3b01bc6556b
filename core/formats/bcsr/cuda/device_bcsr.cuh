#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda/device/device_array.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/bcsr/cuda/conversion.cuh"
#include "core/formats/bcsr/cuda/spmv.cuh"

namespace sparsecast::cuda {

/// A matrix in the memory of a GPU, in CSR or BCSR. Block rows as in `BcsrMatrix`; the values of
/// BCSR are interleaved: items (`items_per_block`) are stored in groups of 32, and of a group first
/// all first units (what one load takes, up to 16 bytes), then all second ones, and so on.
template <class T>
class DeviceBcsr final : public DeviceMatrix<T> {
 public:
  /// Uploads to the current device and converts there. Columns must rise within rows. For a segment
  /// `matrix` has its rows, and all columns; `first_row`, where it begins in the whole matrix, is
  /// where stored columns count from.
  DeviceBcsr(const CsrView<T>& matrix, const Layout& layout, const CudaPolicy& policy,
             std::int64_t first_row = 0);
  /// Converts what is on the device already.
  DeviceBcsr(DeviceCsr<T> matrix, const Layout& layout, const CudaPolicy& policy);

  /// An upper bound of the bytes that uploading and converting a matrix with so many blocks takes,
  /// which is more than it needs afterwards.
  static std::int64_t bytes_bound(std::int64_t rows, std::int64_t nonzeros, std::int64_t blocks,
                                  const Layout& layout, const CudaPolicy& policy);

  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override;
  bool sums() const override { return true; }
  bool waits_for_halos() const override { return true; }
  std::int64_t most_dot_parts(std::int64_t most_blocks) const override;

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override;
  BytesByKind bytes_read() const override;
  const SpmvExecution& execution() const { return execution_; }
  /// What the conversion no longer needs is freed afterwards.
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }
  /// A copy in host memory, blocks row major.
  BcsrMatrix<T> download() const;

 private:
  void convert(DeviceCsr<T> matrix, const Layout& layout, const CudaPolicy& policy);
  /// Allocates offsets, of the kind that `blocks_` asks for.
  StoredPattern make_offsets(std::int64_t block_rows, const CudaPolicy& policy);
  /// CSR in natural order: takes what need not be copied.
  void keep(DeviceCsr<T>& matrix, BlockRows& rows, const CudaPolicy& policy);
  /// Everything else.
  void fill(const DeviceCsr<T>& matrix, const BlockRows& rows, const Layout& layout,
            const CudaPolicy& policy);
  /// What launches depend on, long rows too.
  void find_shape(const BlockRows& block_rows, const CudaPolicy& policy);
  void cut_long_rows(const std::vector<LongRow>& rows);

  int block_size_ = 1;
  int finishing_groups_ = 1;  ///< `CudaPolicy::groups_per_finishing_block`
  std::int64_t rows_ = 0;
  std::int64_t blocks_ = 0;
  SegmentShape shape_;
  SpmvExecution execution_;
  DeviceArray<std::uint32_t> offsets32_;  ///< where all positions of values fit
  DeviceArray<std::uint64_t> offsets64_;  ///< elsewhere
  DeviceArray<std::int32_t> columns_;     ///< empty where there are `columns16_`
  DeviceArray<std::int16_t> columns16_;   ///< column minus `narrow_base`, where all fit
  DeviceArray<T> values_;
  DeviceArray<std::int32_t> row_index_;
  DeviceArray<LongPiece> pieces_;
  DeviceArray<T> piece_sums_;              ///< N a piece
  DeviceArray<std::int32_t> piece_count_;  ///< of a row that are done, at its first piece
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;
};

}  // namespace sparsecast::cuda
