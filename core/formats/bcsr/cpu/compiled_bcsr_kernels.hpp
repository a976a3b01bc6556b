#pragma once

/// @file
/// The products of each instruction set that the build has. Internal to the format.

namespace sparsecast {

template <class T>
struct BcsrKernels;

extern const BcsrKernels<float>* const baseline_bcsr_kernels_f32;
extern const BcsrKernels<double>* const baseline_bcsr_kernels_f64;
extern const BcsrKernels<float>* const avx2_bcsr_kernels_f32;
extern const BcsrKernels<double>* const avx2_bcsr_kernels_f64;
extern const BcsrKernels<float>* const avx512_bcsr_kernels_f32;
extern const BcsrKernels<double>* const avx512_bcsr_kernels_f64;

}  // namespace sparsecast
