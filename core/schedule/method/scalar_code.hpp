#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/schedule/method/flat_names.hpp"
#include "core/schedule/schedule.hpp"

namespace sparsecast {

/// Turns expressions of scalars into assignments of slots, one operation each. The slots of the
/// method's scalars come first, those of the given ones behind them; constants and intermediate
/// results follow as they are needed.
class ScalarCode {
 public:
  ScalarCode(const FlatNames& names, NamedNumbers parameters);

  /// Parameters and indices of loops.
  NamedNumbers& numbers() { return numbers_; }
  const NamedNumbers& numbers() const { return numbers_; }

  /// The slot with the expression's value, once `code`, to which operations are added, has run. An
  /// intermediate result holds until `forget_intermediate`.
  ScalarSlot compile(const Expression& expression, std::vector<ScalarAssignment>& code);
  /// The same with the result in this slot.
  void compile_into(ScalarSlot target, const Expression& expression,
                    std::vector<ScalarAssignment>& code);

  /// Whether the slot, just compiled, holds 1 or 0.
  bool is_truth(ScalarSlot slot) const { return truths_.contains(slot); }

  ScalarSlot constant(double value);
  /// A slot of its own, for good.
  ScalarSlot new_slot(const std::string& name);
  ScalarSlot given(std::string_view name) const;
  /// Intermediate results are no longer needed: their slots serve what comes next.
  void forget_intermediate() { intermediate_used_ = 0; }
  bool is_intermediate(ScalarSlot slot) const { return intermediate_slots_.contains(slot); }

  /// Of all slots, in their order.
  std::vector<ScalarDeclaration> take_declarations() { return std::move(declarations_); }

 private:
  ScalarSlot declare(std::string name, double initial);
  ScalarSlot intermediate();
  ScalarSlot operation(ScalarOperation what, ScalarSlot a, ScalarSlot b, ScalarSlot c,
                       std::vector<ScalarAssignment>& code);
  /// 1 where the slot's value holds, else 0.
  ScalarSlot truth(ScalarSlot value, std::vector<ScalarAssignment>& code);
  ScalarSlot compile_operation(const Expression& expression, std::vector<ScalarAssignment>& code);
  ScalarSlot compile_call(const Expression& expression, std::vector<ScalarAssignment>& code);

  const FlatNames& names_;
  NamedNumbers numbers_;
  std::vector<ScalarDeclaration> declarations_;
  std::map<std::string, ScalarSlot, std::less<>> given_;
  std::map<double, ScalarSlot> constants_;
  std::vector<ScalarSlot> intermediate_;
  std::set<ScalarSlot> intermediate_slots_;
  std::set<ScalarSlot> truths_;  ///< constants and intermediate results that are 1 or 0
  std::size_t intermediate_used_ = 0;
};

}  // namespace sparsecast
