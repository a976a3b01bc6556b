#pragma once

#include <cstddef>
#include <span>

namespace sparsecast {

/// What one thread knows of its run.
struct CpuThread {
  int index = 0;
  int lane = 0;  ///< within the device
  std::size_t device = 0;
  std::span<double> scalars;  ///< its own copy of all slots
  int reductions = 0;         ///< so far: they alternate between two sets of slots
  int exchanges = 0;          ///< and these between two host buffers
  int self_scheduled = 0;
};

}  // namespace sparsecast
