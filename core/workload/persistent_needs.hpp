#pragma once

#include <cstdint>
#include <vector>

/// @file
/// What a persistent kernel of a solver keeps of its vectors, as plain numbers
/// (`core/schedule/persistent/persistent_plan.hpp` tells it for a schedule).

namespace sparsecast {

/// A vector of which a thread block keeps its rows, in shared memory where there is room.
struct PersistentVector {
  int accesses = 1;     ///< of a value in an iteration at least: 2 if it is read and written
  bool shared = false;  ///< blocks of a cluster read it from each other's shared memory

  friend bool operator==(const PersistentVector&, const PersistentVector&) = default;
};

/// The default is that of fused conjugate gradients.
struct PersistentNeeds {
  int windows = 1;     ///< vectors that the matrix multiplies
  int kept_halos = 0;  ///< other vectors whose halo values a block computes, or are constants
  /// In the order in which they get shared memory: those with more accesses first.
  std::vector<PersistentVector> vectors{{2}, {2, true}, {2}, {1}, {1}};
  int products = 1;        ///< an iteration
  int waits = 2;           ///< of all thread blocks for each other's sums in an iteration
  int row_accesses = 11;   ///< loads and stores of a row's vector values in an iteration
  int arrivals = 1;        ///< vectors whose halo values go from block to block in an iteration
  int most_threads = 512;  ///< of a thread block: with more it would lack registers
  std::int64_t kernel_bytes = 2048;  ///< of shared memory for the kernel's own variables, at most

  friend bool operator==(const PersistentNeeds&, const PersistentNeeds&) = default;
};

}  // namespace sparsecast
