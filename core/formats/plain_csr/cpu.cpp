#include "core/cpu/cpu_matrix.hpp"

/// @file
/// On the CPU, where the paper's mappings mean nothing, both are `csr`.

namespace sparsecast {

template <class T>
const CpuFormat<T>& csr_cpu_format();

template <class T>
const CpuFormat<T>& csr_scalar_cpu_format() {
  return csr_cpu_format<T>();
}
template <class T>
const CpuFormat<T>& csr_vector_cpu_format() {
  return csr_cpu_format<T>();
}

template const CpuFormat<float>& csr_scalar_cpu_format();
template const CpuFormat<double>& csr_scalar_cpu_format();
template const CpuFormat<float>& csr_vector_cpu_format();
template const CpuFormat<double>& csr_vector_cpu_format();

}  // namespace sparsecast
