#pragma once

#include <cstdint>

#include "core/cuda/run/run_state.cuh"

/// @file
/// What a kernel knows that ends with sums over all its rows and with what follows them
/// (`finish_block.cuh` says how).

namespace sparsecast::cuda {

struct BlockFinish {
  static constexpr int most_sums = most_linked_sums;
  /// Scalars of a schedule whose kernels that sum carry out programs, too.
  static constexpr int most_scalars = 64;

  RunMemory memory;
  const ControlProgram* program = nullptr;  ///< in device memory; null: no operations
  /// One a block, then as many more as the kernel wants (0 where it never writes); of the second
  /// sum behind those of the first.
  double* partials = nullptr;
  std::int64_t parts = 0;           ///< partial sums of one scalar
  std::int32_t* tickets = nullptr;  ///< taken so far; null: nothing to finish
  std::int16_t slots[most_sums] = {-1, -1, -1, -1};

  SPARSECAST_HOST_DEVICE bool active() const { return tickets != nullptr; }
};

}  // namespace sparsecast::cuda
