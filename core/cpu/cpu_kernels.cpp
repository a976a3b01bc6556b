#include "core/cpu/cpu_kernels.hpp"

#include <type_traits>

#include "core/cpu/compiled_kernels.hpp"
#include "core/cpu/instruction_sets.hpp"

namespace sparsecast {
namespace {

template <class T>
PerInstructionSet<CpuKernels<T>> compiled() {
  if constexpr (std::is_same_v<T, float>) {
    return {baseline_kernels_f32, avx2_kernels_f32, avx512_kernels_f32};
  } else {
    return {baseline_kernels_f64, avx2_kernels_f64, avx512_kernels_f64};
  }
}

}  // namespace

template <class T>
const CpuKernels<T>& cpu_kernels() {
  static const CpuKernels<T>& best = best_of(compiled<T>());
  return best;
}

template <class T>
const CpuKernels<T>* cpu_kernels(std::size_t instruction_set) {
  return compiled<T>()[instruction_set];
}

template const CpuKernels<float>& cpu_kernels();
template const CpuKernels<double>& cpu_kernels();
template const CpuKernels<float>* cpu_kernels(std::size_t);
template const CpuKernels<double>* cpu_kernels(std::size_t);

}  // namespace sparsecast
