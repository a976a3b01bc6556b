#pragma once

/// @file
/// The kernels of each instruction set that the build has, null where it does not. Internal to
/// core: constants, so that asking for them runs no code of an instruction set that the processor
/// may lack.

namespace sparsecast {

template <class T>
struct CpuKernels;

extern const CpuKernels<float>* const baseline_kernels_f32;
extern const CpuKernels<double>* const baseline_kernels_f64;
extern const CpuKernels<float>* const avx2_kernels_f32;
extern const CpuKernels<double>* const avx2_kernels_f64;
extern const CpuKernels<float>* const avx512_kernels_f32;
extern const CpuKernels<double>* const avx512_kernels_f64;

}  // namespace sparsecast
