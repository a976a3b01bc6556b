#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace sparsecast {

/// What the slots of a schedule that solves A x = b mean, by their names: what is to be known of a
/// solver to run it, time it and say how far it is.
struct SolverSlots {
  enum class DiagonalValue { diagonal, inverse, inverse_square_root };
  static double of_diagonal(double entry, DiagonalValue value) {
    return value == DiagonalValue::diagonal  ? entry
           : value == DiagonalValue::inverse ? 1 / entry
                                             : 1 / std::sqrt(entry);
  }

  /// A vector that holds a function of the matrix's diagonal before the setup.
  struct Diagonal {
    std::string vector;
    DiagonalValue value = DiagonalValue::inverse;
  };

  /// Vectors that hold the inverses of the matrix's diagonal blocks before the setup, as
  /// `inverse_blocks` returns them; as many as a block has rows.
  struct InverseBlocks {
    std::vector<std::string> vectors;
  };

  std::string solution;         ///< vector, holds the start value before the setup
  std::string right_hand_side;  ///< vector
  std::vector<Diagonal> diagonals;
  std::vector<InverseBlocks> inverse_blocks;
  /// Scalar that falls as the solve goes on, known after the setup and after each iteration; empty:
  /// there is none.
  std::string residual;
  bool residual_is_square = true;  ///< of a norm
  /// Scalar that is ||b - A x|| by the solver's own recurrence, or its square, at the same places;
  /// empty: there is none.
  std::string residual_norm;
  bool residual_norm_is_square = true;
  /// Scalar that says how many steps the last iteration came to, of a solver whose iterations are
  /// cycles of steps; empty: there is none.
  std::string cycle_steps;
};

}  // namespace sparsecast
