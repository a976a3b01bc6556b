#pragma once

#include <vector>

#include "core/schedule/method/method_operation.hpp"
#include "core/schedule/vector_pass.hpp"

namespace sparsecast {

/// A pass that operations (`assign` and `dot`) are put into one after the other.
class GrowingPass {
 public:
  /// Takes the operation in, if there is room.
  bool take(const MethodOperation& operation);

  const VectorPass& pass() const { return pass_; }
  /// Of the pass, and the slots that its dot products go to.
  const std::vector<VectorSlot>& operands() const { return operands_; }
  const std::vector<ScalarSlot>& sums() const { return sums_; }

 private:
  int operand(VectorSlot slot);

  VectorPass pass_;
  std::vector<VectorSlot> operands_;
  std::vector<ScalarSlot> sums_;
};

}  // namespace sparsecast
