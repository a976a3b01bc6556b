#pragma once

#include <string>
#include <vector>

#include "core/schedule/method/flat_names.hpp"
#include "core/schedule/method/method.hpp"
#include "core/schedule/method/scalar_code.hpp"
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
    apply,    ///< target = A * input
    assign,   ///< target = the sum of terms
    dot,      ///< sum = a . b
    scalars,  ///< assignments, in order
    check,    ///< ends the run with the outcome if the test holds
  };
  Kind kind = Kind::scalars;
  VectorSlot target = -1;
  VectorSlot input = -1;
  std::vector<LinearTerm> terms;
  VectorSlot a = -1;
  VectorSlot b = -1;
  ScalarSlot sum = -1;
  std::vector<ScalarAssignment> assignments;
  StopTest test;
  /// It is carried out only where this scalar is above 0; -1: always.
  ScalarSlot guard = -1;
};

/// The operations of a method's lists.
struct MethodOperations {
  std::vector<MethodOperation> setup;
  std::vector<MethodOperation> iteration;
  std::vector<MethodOperation> finish;
};

/// Unrolls the lists of a checked method. Diagonal operators have the vector slots behind those of
/// `names`, in the order of `Method::operators`. Where bounds of a loop are known only while it
/// runs, it is unrolled for all elements of the arrays that its index stands in, and what lies
/// outside the bounds is left out then. Throws `Error` with the step's place for what is no
/// constant where it must be, for more than 100 000 operations, and for operators without kernels.
MethodOperations unrolled(const Method& method, const FlatNames& names, ScalarCode& code);

}  // namespace sparsecast
