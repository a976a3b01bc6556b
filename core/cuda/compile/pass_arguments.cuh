#pragma once

#include <cstdint>

#include "core/base/host_device.hpp"
#include "core/cuda/run/run_state.cuh"

/// @file
/// What the kernel of a pass that was compiled for it gets. Its text knows what is done, not with
/// what: vectors, slots and counts are here, so that steps of the same form share a kernel.

namespace sparsecast::cuda {

inline constexpr int pass_threads = 256;
inline constexpr int most_vectors_of_blocks = 64;

/// Packs of each operand that a thread has under way; with blocks these are enough.
SPARSECAST_HOST_DEVICE constexpr int packs_of(bool blocks) {
  return blocks ? 1 : 2;
}

/// A vector of a block: of terms with what it is multiplied by.
struct BlockVector {
  const void* values = nullptr;
  double factor = 1;
  std::int32_t scalar = -1;  ///< slot; negative: none
};

/// Indices in device memory, of 16 bits, one table behind the other.
struct PassTables {
  const std::int16_t* all = nullptr;
  int locals = 0;   ///< slots of the scalars that the operations behind the pass use
  int numbers = 0;  ///< what their text leaves open
  int sums = 0;  ///< slots of the dot products, then their places among the locals (negative: none)
};

struct PassArguments {
  static constexpr int most_vectors = 8;
  static constexpr int most_coefficients = 64;
  static constexpr int most_blocks = 4;

  Gate gate;
  RunMemory memory;
  std::int64_t size = 0;             ///< rows
  void* vectors[most_vectors] = {};  ///< but for those of blocks
  double factors[most_coefficients] = {};
  std::int16_t scalars[most_coefficients] = {};  ///< slots; negative: none
  const BlockVector* block_vectors = nullptr;    ///< in device memory, of all blocks
  int block_counts[most_blocks] = {};
  PassTables tables;
  double* partials = nullptr;  ///< one a block, of the second sum behind those of the first
  std::int32_t* tickets = nullptr;
  const void* push = nullptr;  ///< of one that sends: a `HaloPush` of its values, in device memory
};

}  // namespace sparsecast::cuda
