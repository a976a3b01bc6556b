#include "core/schedule/method/growing_pass.hpp"

#include <algorithm>
#include <utility>

namespace sparsecast {

bool GrowingPass::take(const MethodOperation& operation) {
  const std::size_t before = operands_.size();
  PassStatement statement;
  for (const LinearTerm& term : operation.terms) {
    statement.terms.push_back(
        {term.factor, term.scalar, operand(term.vector), operand(term.times)});
  }
  statement.target = operand(operation.target);
  if (operation.kind == MethodOperation::Kind::dot) {
    statement.a = operand(operation.a);
    statement.b = operand(operation.b);
  }
  pass_.statements.push_back(std::move(statement));
  if (fault_of_sizes(pass_, static_cast<int>(operands_.size()))) {
    pass_.statements.pop_back();
    operands_.resize(before);
    return false;
  }
  if (operation.kind == MethodOperation::Kind::dot) sums_.push_back(operation.sum);
  return true;
}

int GrowingPass::operand(VectorSlot slot) {
  if (slot < 0) return -1;
  const auto found = std::ranges::find(operands_, slot);
  const auto place = static_cast<int>(found - operands_.begin());
  if (found == operands_.end()) operands_.push_back(slot);
  return place;
}

}  // namespace sparsecast
