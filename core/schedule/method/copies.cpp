#include "core/schedule/method/copies.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace sparsecast {
namespace {

using Kind = MethodOperation::Kind;

/// r of z = r.
std::optional<VectorSlot> copied(const MethodOperation& operation) {
  if (operation.kind != Kind::assign || operation.terms.size() != 1) return std::nullopt;
  const LinearTerm& term = operation.terms.front();
  if (term.factor != 1 || term.scalar >= 0 || term.times >= 0) return std::nullopt;
  return term.vector;
}

/// Calls `visit` for each slot of a vector that an operation reads.
template <class Operation, class Visit>
void visit_reads(Operation& operation, const Visit& visit) {
  switch (operation.kind) {
    case Kind::apply:
      visit(operation.input);
      break;
    case Kind::assign:
      for (auto& term : operation.terms) visit(term.vector);
      break;
    case Kind::dot:
      visit(operation.a);
      visit(operation.b);
      break;
    case Kind::scalars:
    case Kind::check:
      break;
  }
}

/// Which vectors hold the same as another one, at one place of a list.
class KnownCopies {
 public:
  explicit KnownCopies(const std::set<VectorSlot>& candidates) : candidates_(&candidates) {}

  /// Goes past an operation. `replace`: it then reads originals.
  void pass(MethodOperation& operation, bool replace) {
    MethodOperation changed = operation;
    visit_reads(changed, [&](VectorSlot& slot) {
      const auto found = copies_.find(slot);
      if (found == copies_.end()) return;
      const Copy& copy = found->second;
      const bool holds = copy.guard < 0 || copy.guard == operation.guard;
      const bool overwrites_operand = operation.kind == Kind::apply && operation.target == copy.of;
      if (holds && !overwrites_operand) slot = copy.of;
    });
    if (changed.target >= 0) {
      forget([&](VectorSlot copy, const Copy& of) {
        return copy == changed.target || of.of == changed.target;
      });
    }
    for (const ScalarAssignment& each : changed.assignments) forget_guard(each.target);
    if (changed.kind == Kind::dot) forget_guard(changed.sum);
    if (candidates_->contains(changed.target)) {
      const VectorSlot of = *copied(changed);
      if (of != changed.target) copies_[changed.target] = {of, changed.guard};
    }
    if (replace) operation = std::move(changed);
  }

  void pass(std::vector<MethodOperation>& operations, bool replace) {
    for (MethodOperation& operation : operations) pass(operation, replace);
  }

  /// What holds here and there. Whether that is less than was known here.
  bool keep_common(const KnownCopies& there) {
    return forget([&](VectorSlot copy, const Copy& of) {
      const auto found = there.copies_.find(copy);
      return found == there.copies_.end() || found->second.of != of.of ||
             found->second.guard != of.guard;
    });
  }

 private:
  struct Copy {
    VectorSlot of;
    ScalarSlot guard;  ///< it was made where this held
  };

  template <class Test>
  bool forget(const Test& test) {
    return std::erase_if(copies_, [&](const auto& each) { return test(each.first, each.second); }) >
           0;
  }
  void forget_guard(ScalarSlot slot) {
    forget([&](VectorSlot, const Copy& copy) { return copy.guard == slot; });
  }

  const std::set<VectorSlot>* candidates_;
  std::map<VectorSlot, Copy> copies_;
};

/// Vectors to which nothing but copies are assigned.
std::set<VectorSlot> only_copies(const MethodOperations& operations,
                                 const std::set<VectorSlot>& kept) {
  std::set<VectorSlot> candidates;
  std::set<VectorSlot> others = kept;
  for (const auto* list : {&operations.setup, &operations.iteration, &operations.finish}) {
    for (const MethodOperation& operation : *list) {
      if (operation.target < 0) continue;
      (copied(operation) ? candidates : others).insert(operation.target);
    }
  }
  for (const VectorSlot slot : others) candidates.erase(slot);
  return candidates;
}

}  // namespace

std::set<VectorSlot> remove_copies(MethodOperations& operations, const std::set<VectorSlot>& kept) {
  std::set<VectorSlot> candidates = only_copies(operations, kept);
  KnownCopies known(candidates);
  known.pass(operations.setup, true);
  // An iteration begins behind the setup or behind another one.
  for (bool changed = true; changed;) {
    KnownCopies end = known;
    end.pass(operations.iteration, false);
    changed = known.keep_common(end);
  }
  known.pass(operations.iteration, true);
  // Where a check has ended the run before `finish` is not known, and so neither what holds there.
  for (const auto* list : {&operations.setup, &operations.iteration, &operations.finish}) {
    for (const MethodOperation& operation : *list) {
      visit_reads(operation, [&](VectorSlot slot) { candidates.erase(slot); });
    }
  }
  for (auto* list : {&operations.setup, &operations.iteration, &operations.finish}) {
    std::erase_if(*list, [&](const MethodOperation& operation) {
      return candidates.contains(operation.target);
    });
  }
  return candidates;
}

void renumber_vectors(MethodOperations& operations, std::span<const VectorSlot> slots) {
  const auto renumber = [&](VectorSlot& slot) {
    if (slot >= 0) slot = slots[static_cast<std::size_t>(slot)];
  };
  for (auto* list : {&operations.setup, &operations.iteration, &operations.finish}) {
    for (MethodOperation& operation : *list) {
      for (VectorSlot* slot :
           {&operation.target, &operation.input, &operation.blocks, &operation.a, &operation.b}) {
        renumber(*slot);
      }
      for (LinearTerm& term : operation.terms) {
        renumber(term.vector);
        renumber(term.times);
      }
    }
  }
}

}  // namespace sparsecast
