#include <algorithm>
#include <memory>
#include <vector>

#include "core/base/stopwatch.hpp"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/formats/uploaded_segment.cuh"
#include "core/formats/ell/cuda/ell_part.cuh"
#include "core/formats/ell/ell.hpp"
#include "core/formats/uncached/uncached.hpp"

/// @file
/// ELL on a GPU.

namespace sparsecast::cuda {
namespace {

/// Rows of the segment as long as the longest, unless that is refused.
template <class T>
std::int64_t accepted_width(const SegmentSource<T>& source) {
  const std::int64_t longest = longest_row(source.matrix.pattern(), source.segment);
  require_ell_fits(source.segment.rows(), source.segment.nonzeros(source.matrix.row_offsets),
                   longest);
  return longest;
}

template <class T>
class DeviceEll final : public DeviceMatrix<T> {
 public:
  explicit DeviceEll(const SegmentSource<T>& source) : past_l1_(loads_past_l1(source.layout)) {
    const std::int64_t width = accepted_width(source);
    const UploadedSegment<T> uploaded = upload_segment(source);
    upload_seconds_ = uploaded.seconds;
    const double start = steady_seconds();
    ell_ = EllPart<T>(uploaded.matrix, width, past_l1_);
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    conversion_seconds_ = steady_seconds() - start;
    shape_ = ell_shape(static_cast<double>(uploaded.matrix.rows),
                       static_cast<double>(uploaded.matrix.columns), static_cast<double>(width));
  }

  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override {
    return {ell_.launch(operands, gate)};
  }
  bool sums() const override { return !past_l1_; }
  bool waits_for_halos() const override { return true; }
  std::int64_t most_dot_parts(std::int64_t most_blocks) const override {
    return past_l1_ ? most_blocks : ell_.dot_parts();
  }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override { return ell_.bytes(); }
  BytesByKind bytes_read() const override { return ell_.bytes_read(); }
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  bool past_l1_;
  EllPart<T> ell_;
  SegmentShape shape_;
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;
};

template <class T>
std::int64_t bytes_bound(const SegmentSource<T>& source, bool counted) {
  const std::int64_t rows = source.segment.rows();
  // More is refused when it is made.
  std::int64_t width = most_ell_width(rows, source.segment.nonzeros(source.matrix.row_offsets));
  if (counted) width = std::min(width, longest_row(source.matrix.pattern(), source.segment));
  return UploadedSegment<T>::bytes_of(source) + EllPart<T>::bytes_of(rows, width) +
         EllPart<T>::dot_parts(rows) * std::int64_t{sizeof(double)};
}

template <class T>
const CudaFormat<T> entry{bytes_bound<T>,
                          [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
                            return std::make_unique<DeviceEll<T>>(source);
                          }};

}  // namespace

template <class T>
const CudaFormat<T>& ell_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& ell_cuda_format();
template const CudaFormat<double>& ell_cuda_format();

}  // namespace sparsecast::cuda
