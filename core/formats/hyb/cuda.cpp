#include <memory>
#include <vector>

#include "core/base/stopwatch.hpp"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/formats/uploaded_segment.cuh"
#include "core/formats/coo/cuda/coo_part.cuh"
#include "core/formats/ell/cuda/ell_part.cuh"
#include "core/formats/hyb/hyb.hpp"
#include "core/formats/uncached/uncached.hpp"

/// @file
/// HYB on a GPU: the product of its ELL, and those of its COO, which add to it.

namespace sparsecast::cuda {
namespace {

template <class T>
class DeviceHyb final : public DeviceMatrix<T> {
 public:
  explicit DeviceHyb(const SegmentSource<T>& source) {
    const UploadedSegment<T> uploaded = upload_segment(source);
    upload_seconds_ = uploaded.seconds;
    const double start = steady_seconds();
    const HybSplit split = hyb_split(source.matrix.pattern(), source.segment, source.layout);
    const DeviceCsr<T>& matrix = uploaded.matrix;
    const bool past_l1 = loads_past_l1(source.layout);
    ell_ = EllPart<T>(matrix, split.width, past_l1);
    coo_ = CooPart<T>(matrix, split.width, split.rest, past_l1);
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    conversion_seconds_ = steady_seconds() - start;
    shape_ = hyb_shape(static_cast<double>(matrix.rows), static_cast<double>(matrix.columns),
                       static_cast<double>(split.width), static_cast<double>(split.rest));
  }

  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override {
    std::vector<Launch> launches{ell_.launch(operands, gate)};
    for (Launch& launch : coo_.add_launches(operands, gate)) launches.push_back(std::move(launch));
    return launches;
  }
  bool sums() const override { return false; }
  /// The first launch does, for all entries of a row.
  bool waits_for_halos() const override { return true; }
  std::int64_t most_dot_parts(std::int64_t most_blocks) const override { return most_blocks; }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override { return ell_.bytes() + coo_.bytes(); }
  BytesByKind bytes_read() const override {
    BytesByKind bytes = ell_.bytes_read();
    const BytesByKind rest = coo_.bytes_read();
    bytes.values += rest.values;
    bytes.indices += rest.indices;
    return bytes;
  }
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  EllPart<T> ell_;
  CooPart<T> coo_;
  SegmentShape shape_;
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;
};

template <class T>
const CudaFormat<T> entry{
    [](const SegmentSource<T>& source, bool) {
      const HybSplit split = hyb_split(source.matrix.pattern(), source.segment, source.layout);
      const std::int64_t rows = source.segment.rows();
      return UploadedSegment<T>::bytes_of(source) + EllPart<T>::bytes_of(rows, split.width) +
             CooPart<T>::bytes_bound(rows, split.width, split.rest);
    },
    [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
      return std::make_unique<DeviceHyb<T>>(source);
    }};

}  // namespace

template <class T>
const CudaFormat<T>& hyb_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& hyb_cuda_format();
template const CudaFormat<double>& hyb_cuda_format();

}  // namespace sparsecast::cuda
