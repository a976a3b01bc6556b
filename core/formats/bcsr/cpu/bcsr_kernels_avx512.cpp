#include "core/formats/bcsr/cpu/bcsr_kernels.hpp"
#include "core/formats/bcsr/cpu/compiled_bcsr_kernels.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#include "core/formats/bcsr/cpu/bcsr_kernels_body.inc"

namespace sparsecast {
const BcsrKernels<float>* const avx512_bcsr_kernels_f32 = &::bcsr_kernels<float>;
const BcsrKernels<double>* const avx512_bcsr_kernels_f64 = &::bcsr_kernels<double>;
}  // namespace sparsecast
#else
namespace sparsecast {
const BcsrKernels<float>* const avx512_bcsr_kernels_f32 = nullptr;
const BcsrKernels<double>* const avx512_bcsr_kernels_f64 = nullptr;
}  // namespace sparsecast
#endif
