#include "core/cpu/compiled_kernels.hpp"
#include "core/cpu/cpu_kernels.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#include "core/cpu/cpu_kernels_body.inc"

namespace sparsecast {
const CpuKernels<float>* const avx512_kernels_f32 = &kernels<float>;
const CpuKernels<double>* const avx512_kernels_f64 = &kernels<double>;
}  // namespace sparsecast
#else
namespace sparsecast {
const CpuKernels<float>* const avx512_kernels_f32 = nullptr;
const CpuKernels<double>* const avx512_kernels_f64 = nullptr;
}  // namespace sparsecast
#endif
