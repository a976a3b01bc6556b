#include <cstdint>
#include <memory>

#include "core/cuda/formats/device_matrix.cuh"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/bcsr/cuda/device_bcsr.cuh"
#include "core/matrix/csr_rows.hpp"

/// @file
/// CSR and BCSR on GPUs.

namespace sparsecast::cuda {
namespace {

template <class T>
std::int64_t segment_bytes_bound(const SegmentSource<T>& source, bool counted) {
  const std::int64_t nonzeros = source.segment.nonzeros(source.matrix.row_offsets);
  // A block holds at least one nonzero.
  const int n = source.layout.block_size;
  const std::int64_t blocks =
      counted && n > 1 ? count_blocks(source.matrix.pattern(), source.segment, n).back() : nonzeros;
  return DeviceBcsr<T>::bytes_bound(source.segment.rows(), nonzeros, blocks, source.layout,
                                    source.policy);
}

template <class T>
std::unique_ptr<DeviceMatrix<T>> make_matrix(const SegmentSource<T>& source) {
  const CsrRows<T> own(source.matrix, source.segment);
  return std::make_unique<DeviceBcsr<T>>(own.view(), source.layout, source.policy,
                                         source.segment.begin_row);
}

template <class T>
const CudaFormat<T> entry{segment_bytes_bound<T>, make_matrix<T>};

}  // namespace

template <class T>
const CudaFormat<T>& csr_cuda_format() {
  return entry<T>;
}
template <class T>
const CudaFormat<T>& bcsr_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& csr_cuda_format();
template const CudaFormat<double>& csr_cuda_format();
template const CudaFormat<float>& bcsr_cuda_format();
template const CudaFormat<double>& bcsr_cuda_format();

}  // namespace sparsecast::cuda
