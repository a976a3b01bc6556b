#pragma once

#include <optional>

#include "bench/cuda_results.hpp"
#include "core/cuda/device/gpu_devices.hpp"
#include "core/workload/layout.hpp"

namespace sparsecast {

/// An iteration of our CG in its schedules and launch modes, in CSR and in `layout`, against the
/// vendor's as a graph and host-synchronised. The matrix is symmetric positive definite. Modes that
/// the program does not have are left out with a word on standard error. Nothing when CG ends
/// within a few iterations. Throws `Error` when an iterate is wrong.
template <class T>
std::optional<CgResult> race_solvers(const MeasuredCase& about, const CsrView<T>& matrix,
                                     const Layout& layout, const GpuDevice& gpu);

}  // namespace sparsecast
