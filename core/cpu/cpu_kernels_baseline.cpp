#include "core/cpu/compiled_kernels.hpp"
#include "core/cpu/cpu_kernels.hpp"

#include "core/cpu/cpu_kernels_body.inc"

namespace sparsecast {
const CpuKernels<float>* const baseline_kernels_f32 = &kernels<float>;
const CpuKernels<double>* const baseline_kernels_f64 = &kernels<double>;
}  // namespace sparsecast
