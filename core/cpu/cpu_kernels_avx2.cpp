#include "core/cpu/compiled_kernels.hpp"
#include "core/cpu/cpu_kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "core/cpu/cpu_kernels_body.inc"

namespace sparsecast {
const CpuKernels<float>* const avx2_kernels_f32 = &kernels<float>;
const CpuKernels<double>* const avx2_kernels_f64 = &kernels<double>;
}  // namespace sparsecast
#else
namespace sparsecast {
const CpuKernels<float>* const avx2_kernels_f32 = nullptr;
const CpuKernels<double>* const avx2_kernels_f64 = nullptr;
}  // namespace sparsecast
#endif
