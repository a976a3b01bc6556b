#include "core/schedule/method/lower.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/schedule/built_in_solvers.hpp"
#include "core/schedule/diagonal_blocks.hpp"
#include "core/schedule/method/copies.hpp"
#include "core/schedule/method/fusion.hpp"
#include "core/schedule/method/growing_pass.hpp"
#include "core/schedule/method/library_steps.hpp"
#include "core/schedule/method/operations.hpp"
#include "core/schedule/method/scalar_code.hpp"
#include "core/schedule/pass_step.hpp"
#include "core/schedule/steps.hpp"

namespace sparsecast {
namespace {

using Kind = MethodOperation::Kind;

/// Turns groups of operations into steps.
class StepMaker {
 public:
  /// `full`: vectors that a matrix multiplies.
  StepMaker(const std::vector<MethodOperation>& operations, const std::set<VectorSlot>& full,
            ScalarSlot zero, std::set<VectorSlot> changed)
      : operations_(operations), full_(full), zero_(zero) {
    for (const VectorSlot slot : changed) changed_[slot] = {};
  }

  std::vector<Step> steps(const std::vector<OperationGroup>& groups) {
    for (const OperationGroup& group : groups) add(group);
    return std::move(steps_);
  }

 private:
  void add(const OperationGroup& group) {
    const MethodOperation& first = operations_[group.operations.front()];
    switch (first.kind) {
      case Kind::apply:
        return add_product(group);
      case Kind::assign:
      case Kind::dot:
        return add_pass(group);
      case Kind::scalars:
        return add_scalars(first);
      case Kind::check:
        return push(check_step({first.test}), first);
    }
  }

  /// Under the condition of an operation.
  void push(Step step, const MethodOperation& operation) {
    if (operation.guard >= 0) {
      step.guard = ScalarTest{zero_, Comparison::less, operation.guard};
      step.guard_mostly_holds = !operation.is_rare;
    }
    steps_.push_back(std::move(step));
  }

  /// Goes on with the step in front where that is carried out under the same condition, which it
  /// does not change.
  void add_scalars(const MethodOperation& operation) {
    const ScalarSlot guard = operation.guard;
    if (!steps_.empty() && steps_.back().kind == StepKind::host_scalar) {
      Step& last = steps_.back();
      const bool same = guard < 0 ? !last.guard : last.guard && last.guard->b == guard;
      if (same && std::ranges::find(last.assignments, guard, &ScalarAssignment::target) ==
                      last.assignments.end()) {
        last.assignments.insert(last.assignments.end(), operation.assignments.begin(),
                                operation.assignments.end());
        return;
      }
    }
    push(scalar_step(operation.assignments), operation);
  }

  void note_write(VectorSlot slot) {
    if (full_.contains(slot)) changed_[slot] = {};
  }

  /// The other devices' parts, if they may have changed since they came. An exchange that runs
  /// only under a condition serves what runs under the same.
  void exchange(VectorSlot slot, const MethodOperation& product) {
    const ScalarSlot guard = product.guard;
    const auto found = changed_.find(slot);
    if (found == changed_.end() || found->second.contains(guard)) return;
    push(exchange_step(slot), product);
    if (guard < 0) {
      changed_.erase(found);
    } else {
      found->second.insert(guard);
    }
  }

  void add_product(const OperationGroup& group) {
    const MethodOperation& product = operations_[group.operations.front()];
    const ScalarSlot sum =
        group.operations.size() > 1 ? operations_[group.operations[1]].sum : ScalarSlot{-1};
    if (product.block_size > 0) {
      std::vector<VectorSlot> inverses(static_cast<std::size_t>(product.block_size));
      std::iota(inverses.begin(), inverses.end(), product.blocks);
      push(block_step(std::move(inverses), product.input, product.target, sum), product);
      return note_write(product.target);
    }
    exchange(product.input, product);
    Step step = product_step(product.input, product.target, sum);
    step.transposed = product.transposed;
    push(std::move(step), product);
    note_write(product.target);
  }

  void add_pass(const OperationGroup& group) {
    GrowingPass pass;
    for (const std::size_t place : group.operations) {
      pass.take(operations_[place]);
      if (operations_[place].target >= 0) note_write(operations_[place].target);
    }
    push(pass_step(pass.pass(), pass.operands(), pass.sums()),
         operations_[group.operations.front()]);
  }

  const std::vector<MethodOperation>& operations_;
  const std::set<VectorSlot>& full_;
  const ScalarSlot zero_;
  std::vector<Step> steps_;
  /// Full vectors of which devices do not have the others' parts, with the conditions under which
  /// they do.
  std::map<VectorSlot, std::set<ScalarSlot>> changed_;
};

std::set<VectorSlot> multiplied(const std::vector<MethodOperation>& operations) {
  std::set<VectorSlot> slots;
  for (const MethodOperation& operation : operations) {
    if (operation.kind == Kind::apply && operation.block_size == 0) slots.insert(operation.input);
  }
  return slots;
}

std::set<VectorSlot> assigned(const std::vector<MethodOperation>& operations) {
  std::set<VectorSlot> slots;
  for (const MethodOperation& operation : operations) {
    if (operation.target >= 0) slots.insert(operation.target);
  }
  return slots;
}

std::set<VectorSlot> common(const std::set<VectorSlot>& a, const std::set<VectorSlot>& b) {
  std::set<VectorSlot> both;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  return both;
}

/// What checks must find as written: the solution, scalars that have a role, what `finish` reads.
ObservedSlots observed_slots(const Method& method, const FlatNames& names,
                             std::span<const VectorSlot> places,
                             const std::vector<MethodOperation>& finish) {
  ObservedSlots observed = slots_read(finish);
  for (const auto& [role, name] : method.roles) {
    if (role == "restart" || role == "preconditioner") continue;
    const Expression expression{Expression::Kind::name, 0, name};
    if (names.is_vector(name)) {
      if (role == "solution") observed.vectors.insert(places[names.vector(expression, {})]);
    } else {
      observed.scalars.insert(names.scalar(expression, {}));
    }
  }
  return observed;
}

/// Vectors of the schedule that hold an operator: one of a diagonal, of diagonal blocks as many as
/// a block has rows.
int vectors_of(const OperatorDeclaration& declared) {
  const bool is_diagonal = declared.kind == OperatorDeclaration::Kind::diagonal ||
                           declared.kind == OperatorDeclaration::Kind::inverse_diagonal;
  return is_diagonal ? 1 : declared.block_size;
}

/// Removes copies from the operations, `of_library` but those into arrays, which a library has in
/// one piece. Returns the slot of each vector, of the operators behind them (the first of those
/// that have several) and of temporaries, from then on; -1 for those that have none.
std::vector<VectorSlot> without_copies(const Method& method, const FlatNames& names,
                                       MethodOperations& operations, bool of_library) {
  std::set<VectorSlot> kept;
  for (std::size_t i = 0; of_library && i < names.vectors().size(); ++i) {
    if (names.vectors()[i].ends_with(']')) kept.insert(static_cast<VectorSlot>(i));
  }
  for (const auto& [role, name] : method.roles) {
    if (names.is_vector(name)) kept.insert(names.vector({Expression::Kind::name, 0, name}, {}));
  }
  const std::set<VectorSlot> gone = remove_copies(operations, kept);
  std::vector<int> sizes(names.vectors().size(), 1);
  for (const OperatorDeclaration& each : method.operators) sizes.push_back(vectors_of(each));
  sizes.insert(sizes.end(), static_cast<std::size_t>(operations.temporaries), 1);
  std::vector<VectorSlot> places(sizes.size(), -1);
  VectorSlot next = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (sizes[i] == 0 || gone.contains(static_cast<VectorSlot>(i))) continue;
    places[i] = next;
    next += sizes[i];
  }
  renumber_vectors(operations, places);
  return places;
}

/// The vectors of inverse diagonal blocks, "M[0]" to "M[2]".
void add_blocks(const OperatorDeclaration& declared, Solver& solver) {
  SolverSlots::InverseBlocks blocks;
  for (int k = 0; k < declared.block_size; ++k) {
    blocks.vectors.push_back(declared.name + '[' + std::to_string(k) + ']');
    solver.schedule.vectors.push_back({blocks.vectors.back(), VectorScope::segment});
  }
  solver.slots.inverse_blocks.push_back(std::move(blocks));
}

Solver unchecked(const Method& method, const NamedNumbers& parameters, Execution execution) {
  const FlatNames names(method, parameters);
  ScalarCode code(names, parameters);
  const ScalarSlot zero = code.constant(0);
  MethodOperations operations = unrolled(method, names, code);
  const bool of_library = execution == Execution::library;
  const std::vector<VectorSlot> places = without_copies(method, names, operations, of_library);
  std::set<VectorSlot> full = multiplied(operations.setup);
  full.merge(multiplied(operations.iteration));
  full.merge(multiplied(operations.finish));

  Solver result;
  result.schedule.name = method.name;
  result.needs = method.needs;
  if (of_library) result.library = method.execution;
  const auto scope_of = [&](VectorSlot slot) {
    return full.contains(slot) ? VectorScope::full : VectorScope::segment;
  };
  for (std::size_t i = 0; i < names.vectors().size(); ++i) {
    const VectorSlot slot = places[i];
    if (slot < 0) continue;
    const std::string& name = names.vectors()[i];
    result.schedule.vectors.push_back({name, scope_of(slot)});
  }
  for (const OperatorDeclaration& each : method.operators) {
    if (each.kind == OperatorDeclaration::Kind::inverse_block_diagonal) {
      add_blocks(each, result);
      continue;
    }
    if (vectors_of(each) == 0) continue;
    result.schedule.vectors.push_back({each.name, VectorScope::segment});
    const bool inverse = each.kind == OperatorDeclaration::Kind::inverse_diagonal;
    result.slots.diagonals.push_back({each.name, inverse ? SolverSlots::DiagonalValue::inverse
                                                         : SolverSlots::DiagonalValue::diagonal});
  }
  for (std::size_t i = names.vectors().size() + method.operators.size(); i < places.size(); ++i) {
    // No name of a method's.
    if (places[i] >= 0) {
      const std::string name = "temporary " + std::to_string(result.schedule.vectors.size());
      result.schedule.vectors.push_back({name, scope_of(places[i])});
    }
  }
  const ObservedSlots observed = observed_slots(method, names, places, operations.finish);
  const auto steps_of = [&](const std::vector<MethodOperation>& list,
                            const std::set<VectorSlot>& changed) {
    if (of_library) return library_steps(list, *method.execution, zero);
    const auto groups = grouped(list, observed, execution == Execution::fused);
    return StepMaker(list, full, zero, changed).steps(groups);
  };
  result.schedule.setup = steps_of(operations.setup, {});
  std::set<VectorSlot> changed = assigned(operations.setup);
  changed.merge(assigned(operations.iteration));
  result.schedule.iteration = steps_of(operations.iteration, common(full, changed));
  // An iteration that a check ends has not done its last exchanges.
  result.schedule.finish = steps_of(operations.finish, common(full, changed));
  result.schedule.scalars = code.take_declarations();
  result.slots.solution = method.roles.at("solution");
  result.slots.right_hand_side = method.roles.at("right_hand_side");
  for (const char* role : {"residual_square", "residual_norm"}) {
    const auto found = method.roles.find(role);
    if (found == method.roles.end() || !result.slots.residual.empty()) continue;
    result.slots.residual = found->second;
    result.slots.residual_is_square = found->first == "residual_square";
    result.slots.residual_norm = result.slots.residual;
    result.slots.residual_norm_is_square = result.slots.residual_is_square;
  }
  const auto steps = method.roles.find("cycle_steps");
  if (steps != method.roles.end()) result.slots.cycle_steps = steps->second;
  return result;
}

}  // namespace

Solver lower(const Method& method, const NamedNumbers& parameters, Execution execution) {
  // Kernels for whole iterations are found by the name.
  if (find_built_in(method.name) != nullptr) {
    throw Error("a schedule cannot be named '" + method.name +
                "', which is one of ours; give it another name");
  }
  if (execution == Execution::library && !method.execution) {
    throw Error("schedule '" + method.name + "' has no 'execution', which says whose calls it is");
  }
  if (execution == Execution::library &&
      std::ranges::any_of(method.operators, &OperatorDeclaration::block_size)) {
    throw Error("schedule '" + method.name + "': " + method.execution->library +
                " has no inverse block diagonal; its calls are not known");
  }
  Solver result;
  try {
    result = unchecked(method, parameters, execution);
  } catch (const Error& error) {
    throw Error("schedule '" + method.name + "': " + error.what());
  }
  check_schedule(result.schedule);
  return result;
}

}  // namespace sparsecast
