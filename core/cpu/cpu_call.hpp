#pragma once

#include <cstdint>
#include <vector>

#include "core/cpu/cpu_kernels.hpp"
#include "core/cpu/cpu_matrix.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// One step, ready to be called on a device.
template <class T>
struct CpuCall {
  const CpuKernels<T>* kernels = nullptr;
  const CpuMatrix<T>* matrix = nullptr;
  std::vector<T*> vectors;           ///< the device's; by-row operands start at its segment
  std::vector<ScalarSlot> scalars;   ///< operands of the step
  std::int64_t first_row = 0;        ///< of the device's segment, in the matrix
  std::int64_t rows = 0;             ///< of the segment
  bool sums = false;                 ///< the step has sums
  int reads = 0;                     ///< how many of the vectors are read only (`Mixed`)
  const VectorPass* pass = nullptr;  ///< of a pass
};

}  // namespace sparsecast
