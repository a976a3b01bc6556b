#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/stopwatch.hpp"
#include "core/cuda/device/current_gpu.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/formats/uploaded_segment.cuh"
#include "core/formats/csr_adaptive/cuda/conversion.cuh"
#include "core/formats/csr_adaptive/cuda/kernel.cuh"

/// @file
/// CSR-Adaptive on a GPU.

namespace sparsecast::cuda {
namespace {

template <class T>
class DeviceAdaptive final : public DeviceMatrix<T> {
 public:
  explicit DeviceAdaptive(const SegmentSource<T>& source) {
    UploadedSegment<T> uploaded = upload_segment(source);
    upload_seconds_ = uploaded.seconds;
    const double conversion_start = steady_seconds();
    DeviceCsr<T>& matrix = uploaded.matrix;
    const auto rows = static_cast<double>(matrix.rows);
    const auto columns = static_cast<double>(matrix.columns);
    const auto nonzeros = static_cast<double>(matrix.nonzeros);
    arrays_ = make_adaptive(std::move(matrix));
    piece_sums_ = DeviceArray<double>::zeros(arrays_.blocks.size());
    shape_ = adaptive_shape(rows, columns, nonzeros, arrays_.size());
    storage_ = {arrays_.blocks.data(), arrays_.row_ends.data(), arrays_.columns.data(),
                arrays_.values.data(), piece_sums_.data()};
    passes_ = bytes() > current_gpu_shape().l2_bytes;
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    conversion_seconds_ = steady_seconds() - conversion_start;
  }

  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override {
    return {passes_ ? launch<true>(operands, gate) : launch<false>(operands, gate)};
  }
  bool sums() const override { return false; }
  bool waits_for_halos() const override { return false; }
  std::int64_t most_dot_parts(std::int64_t most_blocks) const override { return most_blocks; }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override {
    return arrays_.bytes() + static_cast<std::int64_t>(piece_sums_.bytes());
  }
  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = static_cast<double>(arrays_.values.bytes());
    bytes.indices = static_cast<double>(arrays_.columns.bytes());
    bytes.row_pointers = static_cast<double>(arrays_.row_ends.bytes() + arrays_.blocks.bytes());
    return bytes;
  }
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  template <bool passes>
  Launch launch(const ProductOperands<T>& operands, const Gate& gate) const {
    return [=, storage = storage_, blocks = arrays_.blocks.size()](cudaStream_t stream) {
      launch_early(multiply_row_blocks<T, passes>, static_cast<unsigned>(blocks), adaptive_threads,
                   stream, gate, storage, operands.input, operands.output);
    };
  }

  DeviceAdaptiveArrays<T> arrays_;
  DeviceArray<double> piece_sums_;
  AdaptiveStorage<T> storage_;
  SegmentShape shape_;
  bool passes_ = false;  ///< the matrix is more than the L2 cache holds
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;
};

template <class T>
std::int64_t bytes_bound(const SegmentSource<T>& source, bool counted) {
  const std::int64_t rows = source.segment.rows();
  const AdaptiveSize size =
      counted ? adaptive_size(source.matrix.pattern(), source.segment)
              : most_adaptive_size(rows, source.segment.nonzeros(source.matrix.row_offsets));
  constexpr std::int64_t of_sums = 1 << 16;  // that the GPU works with
  const std::int64_t per_block =
      std::int64_t{sizeof(RowBlock)} + sizeof(double) + sizeof(std::uint32_t);
  return UploadedSegment<T>::bytes_of(source) + rows * std::int64_t{sizeof(std::uint16_t)} +
         size.blocks * per_block + size.column_units * column_unit_bytes + of_sums;
}

template <class T>
const CudaFormat<T> entry{bytes_bound<T>,
                          [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
                            return std::make_unique<DeviceAdaptive<T>>(source);
                          }};

}  // namespace

template <class T>
const CudaFormat<T>& csr_adaptive_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& csr_adaptive_cuda_format();
template const CudaFormat<double>& csr_adaptive_cuda_format();

}  // namespace sparsecast::cuda
