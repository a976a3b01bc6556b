#pragma once

#include <vector>

#include "core/schedule/method/flat_names.hpp"
#include "core/schedule/method/method.hpp"
#include "core/schedule/method/method_operation.hpp"
#include "core/schedule/method/scalar_code.hpp"

namespace sparsecast {

/// The operations of a method's lists.
struct MethodOperations {
  std::vector<MethodOperation> setup;
  std::vector<MethodOperation> iteration;
  std::vector<MethodOperation> finish;
  int temporaries = 0;  ///< vectors that products by inverse diagonal blocks take besides
};

/// Unrolls the lists of a checked method. Diagonal operators have the vector slots behind those of
/// `names`, in the order of `Method::operators` (inverse diagonal blocks one for all their
/// vectors); temporaries have those behind them. Where bounds of a loop are known only while it
/// runs, it is unrolled for all elements of the arrays that its index stands in, and what lies
/// outside the bounds is left out then. Throws `Error` with the step's place for what is no
/// constant where it must be, for more than 100 000 operations, and for operators without kernels.
MethodOperations unrolled(const Method& method, const FlatNames& names, ScalarCode& code);

}  // namespace sparsecast
