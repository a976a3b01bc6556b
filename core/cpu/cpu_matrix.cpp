#include "core/cpu/cpu_matrix.hpp"

#include "core/base/error.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {

#define SPARSECAST_CUDA_FORMAT(id)
#define SPARSECAST_FORMAT(id)      \
  extern const Format id##_format; \
  template <class T>               \
  const CpuFormat<T>& id##_cpu_format();
#include "core/formats/formats.def"

template <class T>
const CpuFormat<T>& cpu_format(const Layout& layout) {
  const Format& format = format_of(layout);
#define SPARSECAST_CUDA_FORMAT(id)
#define SPARSECAST_FORMAT(id) \
  if (&format == &id##_format) return id##_cpu_format<T>();
#include "core/formats/formats.def"
  throw Error("the CPU has no products of layout '" + to_string(layout) +
              "'; use it on a GPU, or another layout");
}

template const CpuFormat<float>& cpu_format(const Layout& layout);
template const CpuFormat<double>& cpu_format(const Layout& layout);

}  // namespace sparsecast
