#pragma once

#include "core/schedule/solver.hpp"

namespace sparsecast::cli {

/// The same solver with checks and arithmetic of scalars behind all kernels that do without what
/// comes of them, so that a host that carries them out waits once for the sums of several kernels.
/// An iteration that a check ends has then run kernels in vain, but none that writes the solution.
Solver with_late_decisions(Solver solver);

}  // namespace sparsecast::cli
