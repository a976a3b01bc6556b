#include "core/cuda/formats/device_matrix.cuh"

#include "core/base/error.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {

#define SPARSECAST_FORMAT(id) extern const Format id##_format;
#include "core/formats/formats.def"

namespace cuda {

#define SPARSECAST_FORMAT(id) \
  template <class T>          \
  const CudaFormat<T>& id##_cuda_format();
#include "core/formats/formats.def"

template <class T>
const CudaFormat<T>& cuda_format(const Layout& layout) {
  const Format& format = format_of(layout);
#define SPARSECAST_FORMAT(id) \
  if (&format == &id##_format) return id##_cuda_format<T>();
#include "core/formats/formats.def"
  throw Error("CUDA has no products of layout '" + to_string(layout) + "'");
}

template const CudaFormat<float>& cuda_format(const Layout&);
template const CudaFormat<double>& cuda_format(const Layout&);

}  // namespace cuda
}  // namespace sparsecast
