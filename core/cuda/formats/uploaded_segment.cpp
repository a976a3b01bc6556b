#include "core/cuda/formats/uploaded_segment.cuh"

#include "core/base/stopwatch.hpp"
#include "core/matrix/csr_rows.hpp"

namespace sparsecast::cuda {

template <class T>
std::int64_t UploadedSegment<T>::bytes_of(const SegmentSource<T>& source) {
  const std::int64_t entry_bytes = sizeof(T) + sizeof(std::int32_t);
  return source.segment.nonzeros(source.matrix.row_offsets) * entry_bytes +
         (source.segment.rows() + 1) * std::int64_t{sizeof(std::int64_t)};
}

template <class T>
UploadedSegment<T> upload_segment(const SegmentSource<T>& source) {
  const double start = steady_seconds();
  const CsrRows<T> own(source.matrix, source.segment);
  UploadedSegment<T> uploaded{DeviceCsr<T>(own.view(), 1)};
  uploaded.matrix.first_row = source.segment.begin_row;
  SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
  uploaded.seconds = steady_seconds() - start;
  return uploaded;
}

template struct UploadedSegment<float>;
template struct UploadedSegment<double>;
template UploadedSegment<float> upload_segment(const SegmentSource<float>&);
template UploadedSegment<double> upload_segment(const SegmentSource<double>&);

}  // namespace sparsecast::cuda
