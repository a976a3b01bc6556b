#pragma once

#include "core/schedule/method/flat_names.hpp"
#include "core/schedule/method/method.hpp"
#include "core/schedule/solver.hpp"

namespace sparsecast {

/// How a method is carried out.
enum class Execution {
  fused,         ///< vectors in as few passes as they need
  step_by_step,  ///< each assignment and each dot product by itself, as with a library of them
  library,       ///< by the calls of the method's library (`library_steps`), for forecasts alone
};

/// Makes the solver of a checked method (`check_method`) with the values of all its parameters.
/// Slots have the method's names, elements of arrays "V[3]".
/// Vectors that a matrix multiplies are kept whole on every device, and exchanged where they have
/// changed. Throws `Error` with the step's place for what cannot be carried out, and where a method
/// without a library is to be carried out by it.
Solver lower(const Method& method, const NamedNumbers& parameters, Execution execution);

}  // namespace sparsecast
