#include "core/formats/bcsr/cpu/bcsr_kernels.hpp"

#include <type_traits>

#include "core/cpu/instruction_sets.hpp"
#include "core/formats/bcsr/cpu/compiled_bcsr_kernels.hpp"

namespace sparsecast {
namespace {

template <class T>
PerInstructionSet<BcsrKernels<T>> compiled() {
  if constexpr (std::is_same_v<T, float>) {
    return {baseline_bcsr_kernels_f32, avx2_bcsr_kernels_f32, avx512_bcsr_kernels_f32};
  } else {
    return {baseline_bcsr_kernels_f64, avx2_bcsr_kernels_f64, avx512_bcsr_kernels_f64};
  }
}

}  // namespace

template <class T>
const BcsrKernels<T>& bcsr_kernels() {
  static const BcsrKernels<T>& best = best_of(compiled<T>());
  return best;
}

template <class T>
const BcsrKernels<T>* bcsr_kernels(std::size_t instruction_set) {
  return compiled<T>()[instruction_set];
}

template const BcsrKernels<float>& bcsr_kernels();
template const BcsrKernels<double>& bcsr_kernels();
template const BcsrKernels<float>* bcsr_kernels(std::size_t);
template const BcsrKernels<double>* bcsr_kernels(std::size_t);

}  // namespace sparsecast
