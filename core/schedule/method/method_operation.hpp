#pragma once

#include <vector>

#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// factor * scalar * vector, value by value times the diagonal `times`.
struct LinearTerm {
  double factor = 1;
  ScalarSlot scalar = -1;  ///< -1: none
  VectorSlot vector = -1;
  VectorSlot times = -1;  ///< -1: none
};

/// What a method does, one thing at a time, with loops unrolled and names as slots.
struct MethodOperation {
  enum class Kind {
    apply,    ///< target = A * input, that of the transpose, or of inverse diagonal blocks
    assign,   ///< target = the sum of terms
    dot,      ///< sum = a . b
    scalars,  ///< assignments, in order
    check,    ///< ends the run with the outcome if the test holds
  };
  Kind kind = Kind::scalars;
  VectorSlot target = -1;
  VectorSlot input = -1;
  bool transposed = false;
  /// Of `apply` by inverse diagonal blocks: their first vector, and rows of a block, which are as
  /// many vectors; 0: it is by the matrix.
  VectorSlot blocks = -1;
  int block_size = 0;
  std::vector<LinearTerm> terms;
  VectorSlot a = -1;
  VectorSlot b = -1;
  ScalarSlot sum = -1;
  std::vector<ScalarAssignment> assignments;
  StopTest test;
  /// Of which vector or scalar step it is an assignment, counted as they are carried out; a product
  /// and each dot product behind it are steps of their own. -1: of none, as what tests and weights
  /// of vectors are made of.
  int step = -1;
  /// It is carried out only where this scalar is above 0; -1: always.
  ScalarSlot guard = -1;
  /// It stands under a `when`, which is for what is done now and then.
  bool is_rare = false;
};

}  // namespace sparsecast
