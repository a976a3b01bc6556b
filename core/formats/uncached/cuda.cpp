#include <memory>

#include "core/cuda/formats/device_matrix.cuh"
#include "core/formats/uncached/uncached.hpp"

/// @file
/// Those layouts on a GPU: their formats see in the source's layout how to load the vector.

namespace sparsecast::cuda {
namespace {

template <class T>
const CudaFormat<T> entry{
    [](const SegmentSource<T>& source, bool counted) {
      return cuda_format<T>(cached_layout(source.layout)).bytes_bound(source, counted);
    },
    [](const SegmentSource<T>& source) -> std::unique_ptr<DeviceMatrix<T>> {
      return cuda_format<T>(cached_layout(source.layout)).make(source);
    }};

}  // namespace

template <class T>
const CudaFormat<T>& uncached_cuda_format() {
  return entry<T>;
}
template const CudaFormat<float>& uncached_cuda_format();
template const CudaFormat<double>& uncached_cuda_format();

}  // namespace sparsecast::cuda
