#pragma once

#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// What an iteration of a schedule does, as papers count it. Steps with a guard that mostly does
/// not hold do not count.
struct IterationCounts {
  int kernels = 0;  ///< kernel and reduce steps
  int sums = 0;     ///< dot products, wherever they are made
  int waits =
      0;  ///< of a host in charge, for sums that it needs: for those of several kernels once
  double values = 0;  ///< of vectors read and written, an unknown; a product reads its operand once

  friend bool operator==(const IterationCounts&, const IterationCounts&) = default;
};

IterationCounts iteration_counts(const Schedule& schedule);

}  // namespace sparsecast
