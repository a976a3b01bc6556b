#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/cpu/cpu_devices.hpp"
#include "core/cpu/run/cpu_device.hpp"
#include "core/matrix/matrix_operators.hpp"
#include "core/schedule/schedule.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

namespace sparsecast {

/// A matrix, cut and converted, and a schedule's vectors, in the memory of devices.
template <class T>
struct CpuPlacement {
  std::vector<std::unique_ptr<CpuDevice<T>>> devices;  ///< at least one, all of as many threads
  std::vector<SegmentShape> shapes;                    ///< per device
  double conversion_seconds = 0;                       ///< 0 where no matrix is converted
};

/// Cuts a matrix (without one: vectors of so many unknowns) and its transpose into segments and
/// brings them to the devices, each of which has the threads that the largest segment is worth.
/// Only what `uses_matrix` has a converted matrix. Throws `Error` where the layout does not fit the
/// matrix or memory does not suffice.
template <class T>
CpuPlacement<T> place(const Schedule& schedule, bool uses_matrix,
                      const MatrixOperators<T>& operators, const Layout& layout,
                      std::int64_t unknowns, const CpuDevices& devices);

}  // namespace sparsecast
