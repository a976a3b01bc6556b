#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/stopwatch.hpp"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/early_launch.cuh"
#include "core/cuda/device/launch_bounds.cuh"
#include "core/cuda/device/warp.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/formats/input_load.cuh"
#include "core/cuda/formats/uploaded_segment.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/several/halo_operations.cuh"
#include "core/cuda/vector/finish_block.cuh"
#include "core/formats/bcsr/cuda/conversion.cuh"
#include "core/formats/plain_csr/geometry.hpp"
#include "core/formats/uncached/uncached.hpp"

/// @file
/// The products of CSR of Bell and Garland 2008 on a GPU. Read-only cached loads take the place of
/// textures, shuffles that of shared memory.

namespace sparsecast::cuda {
namespace {

constexpr int csr_threads = plain_csr_threads;

/// What a kernel gets of a matrix; columns count from the segment's first row.
template <class T, class Offset>
struct PlainCsr {
  std::int64_t rows = 0;
  const Offset* offsets = nullptr;
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;
};

/// `lanes` threads a row: 1 (Figure 19), or a warp (Figure 22).
template <class T, class Offset, int lanes, bool finishes, bool past_l1>
__global__ void __launch_bounds__(csr_threads,
                                  resident_blocks_of(csr_threads,
                                                     plain_csr_resident_blocks<T, finishes>))
    multiply_csr(Gate gate, const PlainCsr<T, Offset> a, const T* input, T* output,
                 const __grid_constant__ HaloWait halo,
                 const __grid_constant__ BlockFinish finish) {
  const std::int64_t row = (std::int64_t{blockIdx.x} * csr_threads + threadIdx.x) / lanes;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const bool has_row = row < a.rows;
  // No kernel writes the matrix.
  const Offset begin = has_row ? __ldg(a.offsets + row) : 0;
  const Offset end = has_row ? __ldg(a.offsets + row + 1) : 0;
  wait_for_kernel_before();
  if (!enters(gate)) return;
  if (halo.outside != nullptr) {
    await_input(halo, has_row && concerns(halo, static_cast<std::int32_t>(row)));
  }
  T sum = 0;
  for (std::int64_t k = static_cast<std::int64_t>(begin) + lane; k < static_cast<std::int64_t>(end);
       k += lanes) {
    sum += __ldg(a.values + k) * load_input<past_l1>(input + __ldg(a.columns + k));
  }
#pragma unroll
  for (int offset = lanes / 2; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(whole_warp, sum, offset);
  }
  double product = 0;
  if (has_row && lane == 0) {
    output[row] = sum;
    if constexpr (finishes) product = static_cast<double>(sum) * static_cast<double>(input[row]);
  }
  if constexpr (finishes) finish_in_order<csr_threads>(finish, product);
}

template <int lanes>
std::int64_t blocks_for(std::int64_t rows) {
  constexpr std::int64_t rows_per_block = csr_threads / lanes;
  return std::max<std::int64_t>(1, (rows + rows_per_block - 1) / rows_per_block);
}

template <class T, int lanes>
class DevicePlainCsr final : public DeviceMatrix<T> {
 public:
  explicit DevicePlainCsr(const SegmentSource<T>& source) : past_l1_(loads_past_l1(source.layout)) {
    UploadedSegment<T> uploaded = upload_segment(source);
    upload_seconds_ = uploaded.seconds;
    const double start = steady_seconds();
    DeviceCsr<T>& matrix = uploaded.matrix;
    rows_ = matrix.rows;
    if (has_short_offsets(matrix.nonzeros, source.policy)) {
      offsets32_ = DeviceArray<std::uint32_t>(rows_ + 1);
    } else {
      offsets64_ = DeviceArray<std::uint64_t>(rows_ + 1);
    }
    StoredPattern pattern;
    pattern.offsets32 = offsets32_.data();
    pattern.offsets64 = offsets64_.data();
    pattern.columns_size = matrix.nonzeros;
    if (matrix.first_row != 0) pattern.columns = matrix.column_indices.data();
    keep_rows(matrix, pattern);
    columns_ = std::move(matrix.column_indices);
    values_ = std::move(matrix.values);
    conversion_seconds_ = steady_seconds() - start;
    shape_.unknowns = static_cast<double>(rows_);
    shape_.total_unknowns = static_cast<double>(matrix.columns);
    shape_.elements = static_cast<double>(matrix.nonzeros);
    shape_.blocks = shape_.elements;
    shape_.block_rows = shape_.unknowns;
  }

  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override {
    return {offsets64_.size() == 0 ? launch(offsets32_, operands, gate)
                                   : launch(offsets64_, operands, gate)};
  }
  bool sums() const override { return !past_l1_; }
  bool waits_for_halos() const override { return true; }
  std::int64_t most_dot_parts(std::int64_t most_blocks) const override {
    return past_l1_ ? most_blocks : ordered_parts<csr_threads>(blocks_for<lanes>(rows_));
  }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(offsets32_.bytes() + offsets64_.bytes() + columns_.bytes() +
                                     values_.bytes());
  }
  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = static_cast<double>(values_.bytes());
    bytes.indices = static_cast<double>(columns_.bytes());
    bytes.row_pointers = static_cast<double>(rows_) * (offsets64_.size() == 0 ? 4 : 8);
    return bytes;
  }
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  template <class Offset>
  Launch launch(const DeviceArray<Offset>& offsets, const ProductOperands<T>& operands,
                const Gate& gate) const {
    const PlainCsr<T, Offset> matrix{rows_, offsets.data(), columns_.data(), values_.data()};
    const auto launch = [&](auto* kernel) -> Launch {
      return [=](cudaStream_t stream) {
        launch_early(kernel, static_cast<unsigned>(blocks_for<lanes>(matrix.rows)), csr_threads,
                     stream, gate, matrix, operands.input, operands.output, operands.halo,
                     operands.finish);
      };
    };
    if (past_l1_) return launch(multiply_csr<T, Offset, lanes, false, true>);
    return operands.finish.active() ? launch(multiply_csr<T, Offset, lanes, true, false>)
                                    : launch(multiply_csr<T, Offset, lanes, false, false>);
  }

  bool past_l1_;
  std::int64_t rows_ = 0;
  DeviceArray<std::uint32_t> offsets32_;  ///< where all positions of values fit
  DeviceArray<std::uint64_t> offsets64_;  ///< elsewhere
  DeviceArray<std::int32_t> columns_;
  DeviceArray<T> values_;
  SegmentShape shape_;
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;
};

template <class T, int lanes>
std::int64_t bytes_bound(const SegmentSource<T>& source, bool) {
  const std::int64_t rows = source.segment.rows();
  return UploadedSegment<T>::bytes_of(source) + (rows + 1) * std::int64_t{sizeof(std::uint64_t)} +
         ordered_parts<csr_threads>(blocks_for<lanes>(rows)) * std::int64_t{sizeof(double)};
}

template <class T, int lanes>
const CudaFormat<T> entry{bytes_bound<T, lanes>,
                          [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
                            return std::make_unique<DevicePlainCsr<T, lanes>>(source);
                          }};

}  // namespace

template <class T>
const CudaFormat<T>& csr_scalar_cuda_format() {
  return entry<T, 1>;
}
template <class T>
const CudaFormat<T>& csr_vector_cuda_format() {
  return entry<T, warp_size>;
}
template const CudaFormat<float>& csr_scalar_cuda_format();
template const CudaFormat<double>& csr_scalar_cuda_format();
template const CudaFormat<float>& csr_vector_cuda_format();
template const CudaFormat<double>& csr_vector_cuda_format();

}  // namespace sparsecast::cuda
