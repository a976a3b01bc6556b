#include "core/formats/bcsr/cpu/bcsr_kernels.hpp"
#include "core/formats/bcsr/cpu/compiled_bcsr_kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "core/formats/bcsr/cpu/bcsr_kernels_body.inc"

namespace sparsecast {
const BcsrKernels<float>* const avx2_bcsr_kernels_f32 = &::bcsr_kernels<float>;
const BcsrKernels<double>* const avx2_bcsr_kernels_f64 = &::bcsr_kernels<double>;
}  // namespace sparsecast
#else
namespace sparsecast {
const BcsrKernels<float>* const avx2_bcsr_kernels_f32 = nullptr;
const BcsrKernels<double>* const avx2_bcsr_kernels_f64 = nullptr;
}  // namespace sparsecast
#endif
