#include "core/cpu/compiled_kernels.hpp"

#if defined(__x86_64__)
#define SPARSECAST_INSTRUCTION_SET "x86-64"
#else
#define SPARSECAST_INSTRUCTION_SET "baseline"
#endif
#include "core/cpu/cpu_kernels_body.inc"

namespace sparsecast {
const CpuKernels<float>* const baseline_kernels_f32 = &kernels<float>;
const CpuKernels<double>* const baseline_kernels_f64 = &kernels<double>;
}  // namespace sparsecast
