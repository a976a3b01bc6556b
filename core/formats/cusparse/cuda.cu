#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/stopwatch.hpp"
#include "core/cuda/device/device_array.cuh"
#include "core/cuda/device/stream.cuh"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/run/run_operations.cuh"
#include "core/cuda/vector/clear_rows.cuh"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/block_shape.hpp"
#include "core/formats/coo/coo.hpp"
#include "core/formats/cusparse/cuda/product.cuh"
#include "core/formats/cusparse/sliced_ell.hpp"
#include "core/matrix/csr_rows.hpp"

/// @file
/// cuSPARSE's products on a GPU. The library knows nothing of a run that may have ended: a kernel
/// of one thread in front of it says by what it multiplies, in device memory. Behind a closed gate
/// that is output = 0 * A * input + 1 * output.

namespace sparsecast::cuda {
namespace {

VendorAlgorithm algorithm_of(const Layout& layout) {
  if (layout.block_size > 1) return VendorAlgorithm::bsr;
  if (layout.variant == "alg2") return VendorAlgorithm::csr_alg2;
  if (layout.variant == "coo") return VendorAlgorithm::coo_alg1;
  if (layout.variant == "coo-alg2") return VendorAlgorithm::coo_alg2;
  if (layout.variant == "sell") return VendorAlgorithm::sell;
  return VendorAlgorithm::csr_alg1;
}

template <class T>
__global__ void choose_scalars(Gate gate, T* scalars) {
  const bool open = enters(gate);
  scalars[0] = open ? 1 : 0;
  scalars[1] = open ? 0 : 1;
}

template <class T>
class CusparseMatrix final : public DeviceMatrix<T> {
 public:
  /// Throws `Error` without the library, and like `CusparseArrays`.
  explicit CusparseMatrix(const SegmentSource<T>& source)
      : algorithm_(algorithm_of(source.layout)),
        first_row_(source.segment.begin_row),
        rows_(source.segment.rows()),
        stream_(Stream::create()),
        handle_(create_cusparse(stream_.get())) {
    SPARSECAST_VENDOR_CHECK(
        cusparse().cusparseSetPointerMode(handle_.get(), CUSPARSE_POINTER_MODE_DEVICE));
    const double start = steady_seconds();
    const int n = source.layout.block_size;
    const CsrRows<T> own(source.matrix, source.segment);
    arrays_ = CusparseArrays<T>(own.view(), algorithm_, n);
    constexpr std::array<T, 2> closed{0, 1};
    scalars_ = DeviceArray<T>(std::span<const T>(closed));
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    const bool converts = arrays_.storage != CusparseStorage::csr;
    (converts ? conversion_seconds_ : upload_seconds_) = steady_seconds() - start;
    PatternNumbers numbers;
    numbers.rows = static_cast<double>(rows_);
    numbers.columns = static_cast<double>(source.matrix.columns);
    const auto stored = static_cast<double>(arrays_.indices.size());
    if (arrays_.storage == CusparseStorage::coo) {
      shape_ = coo_shape(numbers.rows, numbers.columns, stored);
    } else if (arrays_.storage == CusparseStorage::sliced_ell) {
      shape_ = sliced_ell_shape(numbers.rows, numbers.columns, stored);
    } else {
      shape_ = block_shape(numbers, n, stored);
      shape_.offset_bytes = sizeof(std::int32_t);
    }
  }

  /// A call of the library is taken for one launch.
  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override {
    // The library need not know of a segment without entries.
    if (arrays_.indices.size() == 0) return {clear_rows_launch(operands.output, rows_, gate)};
    // Columns count from the first of the whole matrix.
    T* const input = const_cast<T*>(operands.input) - first_row_;
    // What was copied and cleared went through another stream.
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    T* const scalars = scalars_.data();
    products_.push_back(std::make_unique<CusparseProduct<T>>(
        handle_.get(), arrays_, algorithm_, input, operands.output,
        CusparseScalars<T>{scalars, scalars + 1}));
    const CusparseProduct<T>* product = products_.back().get();
    // The first call loads code, which is not to happen in a recording. It changes nothing: no gate
    // has been open yet.
    product->launch();
    SPARSECAST_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));

    // Of a block row that hangs over; behind the output there is room, where zeros stay zeros.
    const std::int64_t beyond = arrays_.rows - rows_;
    T* const end = operands.output + rows_;
    return {[=](cudaStream_t stream) {
              choose_scalars<<<1, 1, 0, stream>>>(gate, scalars);
              SPARSECAST_CUDA_CHECK(cudaGetLastError());
            },
            [=, handle = handle_.get()](cudaStream_t stream) {
              SPARSECAST_VENDOR_CHECK(cusparse().cusparseSetStream(handle, stream));
              product->launch();
              if (beyond == 0) return;
              SPARSECAST_CUDA_CHECK(
                  cudaMemsetAsync(end, 0, static_cast<std::size_t>(beyond) * sizeof(T), stream));
            }};
  }
  bool sums() const override { return false; }
  bool waits_for_halos() const override { return false; }
  std::int64_t most_dot_parts(std::int64_t most_blocks) const override { return most_blocks; }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override {
    std::size_t bytes = arrays_.bytes() + scalars_.bytes();
    for (const auto& product : products_) bytes += product->bytes();
    return static_cast<std::int64_t>(bytes);
  }
  BytesByKind bytes_read() const override {
    BytesByKind bytes;
    bytes.values = static_cast<double>(arrays_.values.bytes());
    bytes.indices = static_cast<double>(arrays_.indices.bytes() + arrays_.row_indices.bytes());
    bytes.row_pointers = static_cast<double>(arrays_.offsets.bytes());
    return bytes;
  }
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  VendorAlgorithm algorithm_;
  std::int64_t first_row_;
  std::int64_t rows_;
  Stream stream_;  ///< for what the library prepares
  CusparseHandle handle_;
  CusparseArrays<T> arrays_;
  DeviceArray<T> scalars_;  ///< that A * input and the output are multiplied by
  /// One for each step that multiplies.
  mutable std::vector<std::unique_ptr<CusparseProduct<T>>> products_;
  SegmentShape shape_;
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;  ///< of what is not CSR, with its copy
};

/// Without what the library works in, for which each product asks itself.
template <class T>
std::int64_t bytes_bound(const SegmentSource<T>& source, bool counted) {
  const PatternView pattern = source.matrix.pattern();
  const std::int64_t nonzeros = source.segment.nonzeros(source.matrix.row_offsets);
  const CusparseStorage storage = storage_of(algorithm_of(source.layout));
  const std::int64_t n = source.layout.block_size;
  std::int64_t values = nonzeros;
  if (storage == CusparseStorage::bsr) {
    // A block holds at least one nonzero.
    values *= n * n;
    if (counted) {
      values = count_blocks(pattern, source.segment, source.layout.block_size).back() * n * n;
    }
  } else if (storage == CusparseStorage::sliced_ell) {
    // More is refused when it is made.
    values = most_sliced_ell_values(nonzeros);
    if (counted) values = std::min(values, sliced_ell_values(pattern, source.segment));
  }
  return CusparseArrays<T>::bytes_of(source.segment.rows(), values, storage,
                                     source.layout.block_size);
}

template <class T>
const CudaFormat<T> entry{bytes_bound<T>,
                          [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
                            return std::make_unique<CusparseMatrix<T>>(source);
                          }};

}  // namespace

template <class T>
const CudaFormat<T>& cusparse_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& cusparse_cuda_format();
template const CudaFormat<double>& cusparse_cuda_format();

}  // namespace sparsecast::cuda
