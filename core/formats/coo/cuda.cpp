#include <memory>
#include <vector>

#include "core/base/stopwatch.hpp"
#include "core/cuda/formats/device_matrix.cuh"
#include "core/cuda/formats/uploaded_segment.cuh"
#include "core/cuda/vector/clear_rows.cuh"
#include "core/formats/coo/coo.hpp"
#include "core/formats/coo/cuda/coo_part.cuh"
#include "core/formats/uncached/uncached.hpp"

/// @file
/// COO on a GPU.

namespace sparsecast::cuda {
namespace {

template <class T>
class DeviceCoo final : public DeviceMatrix<T> {
 public:
  explicit DeviceCoo(const SegmentSource<T>& source) {
    const UploadedSegment<T> uploaded = upload_segment(source);
    upload_seconds_ = uploaded.seconds;
    const double start = steady_seconds();
    const DeviceCsr<T>& matrix = uploaded.matrix;
    coo_ = CooPart<T>(matrix, 0, matrix.nonzeros, loads_past_l1(source.layout));
    SPARSECAST_CUDA_CHECK(cudaDeviceSynchronize());
    conversion_seconds_ = steady_seconds() - start;
    rows_ = matrix.rows;
    shape_ = coo_shape(static_cast<double>(rows_), static_cast<double>(matrix.columns),
                       static_cast<double>(matrix.nonzeros));
  }

  std::vector<Launch> multiply_launches(const ProductOperands<T>& operands,
                                        const Gate& gate) const override {
    // Rows without entries, and those that are added to.
    std::vector<Launch> launches{clear_rows_launch(operands.output, rows_, gate)};
    for (Launch& launch : coo_.add_launches(operands, gate)) launches.push_back(std::move(launch));
    return launches;
  }
  bool sums() const override { return false; }
  bool waits_for_halos() const override { return false; }
  std::int64_t most_dot_parts(std::int64_t most_blocks) const override { return most_blocks; }

  const SegmentShape& shape() const override { return shape_; }
  std::int64_t bytes() const override { return coo_.bytes(); }
  BytesByKind bytes_read() const override { return coo_.bytes_read(); }
  double upload_seconds() const override { return upload_seconds_; }
  double conversion_seconds() const override { return conversion_seconds_; }

 private:
  std::int64_t rows_ = 0;
  CooPart<T> coo_;
  SegmentShape shape_;
  double upload_seconds_ = 0;
  double conversion_seconds_ = 0;
};

template <class T>
const CudaFormat<T> entry{[](const SegmentSource<T>& source, bool) {
                            return UploadedSegment<T>::bytes_of(source) +
                                   CooPart<T>::bytes_bound(
                                       source.segment.rows(), 0,
                                       source.segment.nonzeros(source.matrix.row_offsets));
                          },
                          [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
                            return std::make_unique<DeviceCoo<T>>(source);
                          }};

}  // namespace

template <class T>
const CudaFormat<T>& coo_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& coo_cuda_format();
template const CudaFormat<double>& coo_cuda_format();

}  // namespace sparsecast::cuda
