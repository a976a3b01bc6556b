#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/cuda_results.hpp"
#include "bench/cuda_spmv_race.hpp"
#include "core/cuda/device/gpu_devices.hpp"

namespace sparsecast {

/// An iteration of our CG in its schedules and launch modes, in the layout named for each order,
/// the fused schedule as a graph and persistent in CSR too, against the vendor's as a graph and
/// host-synchronised. The first order is as given; in the others only the fastest modes run. The
/// matrices are symmetric positive definite. Modes that the program does not have are left out with
/// a word on standard error, those that end early or whose iterate is wrong with a line in
/// `failures`. Nothing when CG ends within a few iterations, or a side has nobody.
template <class T>
std::optional<CgResult> race_solvers(const MeasuredCase& about,
                                     std::span<const OrderedMatrix<T>> orders,
                                     std::span<const std::string> layouts, const GpuDevice& gpu,
                                     std::vector<std::string>& failures);

}  // namespace sparsecast
