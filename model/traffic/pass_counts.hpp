#pragma once

#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// What the kernels of an iteration of passes do beside what each costs alone, as a GPU carries it
/// out: scalars and checks by the last thread block of the kernel in front of them. Steps that are
/// mostly skipped do not count.
struct PassCounts {
  int kernels = 0;   ///< behind which something is carried out
  int unsummed = 0;  ///< of those, without sums: they look for their last block for this alone
  bool iteration = false;  ///< iterations are counted: there are checks
  /// Scalar operations and tests behind passes, but for those of a pattern that repeats; behind
  /// products, whose kernels are not compiled for them, all.
  int operations = 0;
  int interpreted = 0;
  /// Of each kernel the longest chain of operations of which each needs what the one before made,
  /// together.
  int chain = 0;
  int further_sums = 0;  ///< of passes, beside the first of each and those of blocks
  int guarded = 0;       ///< kernels that look first whether they are to be carried out
  /// Kernels whose instructions have to be fetched again in every iteration, for a multiprocessor
  /// keeps those of a few: of all that differ, those beyond, a kernel without sums as two thirds.
  double fetched = 0;
};

PassCounts pass_counts(const Schedule& schedule);

}  // namespace sparsecast
