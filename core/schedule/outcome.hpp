#pragma once

namespace sparsecast {

/// How a run of a schedule ended. Running out of iterations is `iteration_limit`.
enum class Outcome {
  iteration_limit,
  converged,
  not_positive_definite,  ///< p.Ap <= 0
  not_finite,             ///< NaN or infinity in a scalar
  stagnated,              ///< no progress for a stated number of iterations
  nonpositive_diagonal,   ///< found before the first iteration
  breakdown,              ///< a recurrence would divide by zero
};

}  // namespace sparsecast
