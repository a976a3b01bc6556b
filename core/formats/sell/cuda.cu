#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/stopwatch.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/formats/uploaded_segment.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/formats/sell/cuda/conversion.cuh"
#include "core/formats/sell/cuda/kernel.cuh"
#include "core/formats/sell/geometry.hpp"
#include "core/formats/sell/sell.hpp"

/// @file
/// SELL on a GPU.

namespace sparsecast::cuda {
namespace {

template <class T>
class DeviceSell final : public DeviceMatrix<T> {
 public:
  explicit DeviceSell(const SegmentSource<T>& source) : layout_(source.layout) {
    // Sorted rows are refused by the GPU's plan: the host would have to sort them for this alone.
    if (layout_.row_order == RowOrder::natural) {
      require_sell_fits(layout_, source.segment.nonzeros(source.matrix.row_offsets),
                        least_sell_groups(source.matrix.pattern(), source.segment, layout_, {}));
    }
    UploadedSegment<T> uploaded = upload_segment(source);
    DeviceCsr<T>& matrix = uploaded.matrix;
    matrix.first_row = source.segment.begin_row;
    upload_seconds_ = uploaded.seconds;
    const double conversion_start = steady_seconds();
    arrays_ = make_sell(matrix, layout_);
    shape_ = sell_shape(static_cast<double>(matrix.rows), static_cast<double>(matrix.columns),
                        arrays_.size(layout_), layout_);
    storage_ = {arrays_.values.data(),
                arrays_.columns.data(),
                arrays_.bases.data(),
                arrays_.group_begins.data(),
                arrays_.column_begins.data(),
                arrays_.row_index.data(),
                static_cast<std::int32_t>(matrix.rows),
                static_cast<std::uint32_t>(arrays_.group_begins.size() - 1)};
    blocks_ = std::max<std::int64_t>(1, sell_execution(shape_, layout_).blocks);
    passes_ = bytes() > current_gpu_shape().l2_bytes;
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    conversion_seconds_ = steady_seconds() - conversion_start;
  }

  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override {
    return {with_slice_height(layout_.slice_height,
                              [&](auto height) { return launch<height()>(operands, gate); })};
  }
  bool sums() const override { return true; }
  bool waits_for_halos() const override { return true; }
  std::int64_t most_dot_parts(std::int64_t) const override {
    return ordered_parts<sell_threads>(blocks_);
  }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override { return arrays_.bytes(); }
  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = static_cast<double>(arrays_.values.bytes());
    bytes.indices = static_cast<double>(arrays_.columns.bytes() + arrays_.bases.bytes());
    bytes.row_pointers = shape_.block_rows * shape_.offset_bytes;
    return bytes;
  }
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  template <int height>
  Launch launch(const ProductOperands<T>& operands, const Gate& gate) const {
    return passes_ ? launch<height, true>(operands, gate) : launch<height, false>(operands, gate);
  }
  template <int height, bool passes>
  Launch launch(const ProductOperands<T>& operands, const Gate& gate) const {
    const auto launch = [&](auto* kernel) -> Launch {
      return [=, storage = storage_, blocks = blocks_](cudaStream_t stream) {
        launch_early(kernel, static_cast<unsigned>(blocks), sell_threads, stream, gate, storage,
                     operands.input, operands.output, operands.halo, operands.finish);
      };
    };
    return operands.finish.active() ? launch(multiply_sell<T, height, passes, true>)
                                    : launch(multiply_sell<T, height, passes, false>);
  }

  const Layout layout_;
  DeviceSellArrays<T> arrays_;
  SellStorage<T> storage_;
  SegmentShape shape_;
  std::int64_t blocks_ = 1;
  bool passes_ = false;  ///< the matrix is more than the L2 cache holds
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;
};

template <class T>
std::int64_t bytes_bound(const SegmentSource<T>& source, bool counted) {
  const auto value_bytes = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t rows = source.segment.rows();
  const std::int64_t nonzeros = source.segment.nonzeros(source.matrix.row_offsets);
  const std::int64_t group = sell_group(source.layout.slice_height);
  const SellSize size = counted ? sell_size(source.matrix.pattern(), source.segment, source.layout)
                                : most_sell_size(nonzeros, source.layout);
  const std::int64_t slices = rows / source.layout.slice_height + 1;
  const std::int64_t stored = size.groups * (group * value_bytes + 4) + size.column_units * group +
                              (slices + 1) * 8 + rows * 4;
  const std::int64_t parts = ordered_parts<sell_threads>(slices) * std::int64_t{sizeof(double)};
  return UploadedSegment<T>::bytes_of(source) + stored + parts +
         sell_conversion_bytes(rows, source.layout);
}

template <class T>
const CudaFormat<T> entry{bytes_bound<T>,
                          [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
                            return std::make_unique<DeviceSell<T>>(source);
                          }};

}  // namespace

template <class T>
const CudaFormat<T>& sell_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& sell_cuda_format();
template const CudaFormat<double>& sell_cuda_format();

}  // namespace sparsecast::cuda
