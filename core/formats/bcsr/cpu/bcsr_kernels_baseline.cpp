#include "core/formats/bcsr/cpu/bcsr_kernels.hpp"
#include "core/formats/bcsr/cpu/compiled_bcsr_kernels.hpp"

#include "core/formats/bcsr/cpu/bcsr_kernels_body.inc"

namespace sparsecast {
const BcsrKernels<float>* const baseline_bcsr_kernels_f32 = &::bcsr_kernels<float>;
const BcsrKernels<double>* const baseline_bcsr_kernels_f64 = &::bcsr_kernels<double>;
}  // namespace sparsecast
