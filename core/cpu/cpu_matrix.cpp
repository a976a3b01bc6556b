#include "core/cpu/cpu_matrix.hpp"

#include "core/base/error.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {

#define SPARSECAST_FORMAT(id) \
  template <class T>          \
  const CpuFormat<T>& id##_cpu_format();
#include "core/formats/formats.def"
#undef SPARSECAST_FORMAT

template <class T>
const CpuFormat<T>& cpu_format(const Layout& layout) {
  const Format& format = format_of(layout);
#define SPARSECAST_FORMAT(id) \
  if (format.name == #id) return id##_cpu_format<T>();
#include "core/formats/formats.def"
#undef SPARSECAST_FORMAT
  throw Error("the CPU has no products of layout '" + to_string(layout) + "'");
}

template const CpuFormat<float>& cpu_format(const Layout& layout);
template const CpuFormat<double>& cpu_format(const Layout& layout);

}  // namespace sparsecast
