#include "core/schedule/schedule.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace sparsecast {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::iteration_limit:
      return "iteration limit";
    case Outcome::converged:
      return "converged";
    case Outcome::not_positive_definite:
      return "not positive definite";
    case Outcome::not_finite:
      return "not finite";
    case Outcome::stagnated:
      return "stagnated";
    case Outcome::nonpositive_diagonal:
      return "nonpositive diagonal";
    case Outcome::breakdown:
      return "breakdown";
  }
  return "unknown";
}

bool multiplies_by_transpose(const Schedule& schedule) {
  const auto any = [](const std::vector<Step>& steps) {
    return std::ranges::any_of(steps, &Step::transposed);
  };
  return any(schedule.setup) || any(schedule.iteration) || any(schedule.finish);
}

double evaluate(const LinearCount& count, const SegmentShape& shape) {
  return count.per_unknown * shape.unknowns + count.per_element * shape.elements;
}

BytesByKind bytes_moved(const Step& step, const SegmentShape& shape, Precision precision) {
  const double value_bytes = static_cast<double>(bytes_per_value(precision));
  const Traffic& traffic = step.traffic;
  BytesByKind bytes;
  bytes.values = value_bytes * traffic.values_per_element * shape.elements;
  bytes.indices = shape.index_bytes * traffic.indices_per_block * shape.blocks;
  bytes.row_pointers = shape.offset_bytes * traffic.offsets_per_block_row * shape.block_rows;
  bytes.vector_reads = value_bytes * (traffic.vector_reads_per_unknown * shape.unknowns +
                                      traffic.gathered_per_total_unknown * shape.total_unknowns);
  bytes.vector_writes = value_bytes * traffic.vector_writes_per_unknown * shape.unknowns;
  bytes.exchanged = value_bytes * traffic.exchanged_per_total_unknown * shape.total_unknowns;
  return bytes;
}

void apply(const ScalarAssignment& assignment, std::span<double> scalars) {
  const auto value = [scalars](ScalarSlot slot) {
    return slot < 0 ? 0 : scalars[static_cast<std::size_t>(slot)];
  };
  double& target = scalars[static_cast<std::size_t>(assignment.target)];
  target = scalar_result(assignment.operation, target, value(assignment.a), value(assignment.b),
                         value(assignment.c));
}

bool holds(const ScalarTest& test, std::span<const double> scalars) {
  const double a = scalars[static_cast<std::size_t>(test.a)];
  const double b = scalars[static_cast<std::size_t>(test.b)];
  return test.comparison == Comparison::less ? a < b : a <= b;
}

std::optional<Outcome> checked(const Step& step, std::span<const double> scalars) {
  for (const StopTest& stop : step.stop_tests) {
    if (!std::isfinite(scalars[static_cast<std::size_t>(stop.test.a)]) ||
        !std::isfinite(scalars[static_cast<std::size_t>(stop.test.b)])) {
      return Outcome::not_finite;
    }
    if (holds(stop.test, scalars)) return stop.outcome;
  }
  return std::nullopt;
}

VectorSlot vector_slot(const Schedule& schedule, std::string_view name) {
  const auto& all = schedule.vectors;
  const auto found = std::ranges::find(all, name, &VectorDeclaration::name);
  if (found == all.end()) {
    throw Error("schedule '" + schedule.name + "' has no vector '" + std::string(name) + "'");
  }
  return static_cast<VectorSlot>(found - all.begin());
}

ScalarSlot scalar_slot(const Schedule& schedule, std::string_view name) {
  const auto& all = schedule.scalars;
  const auto found = std::ranges::find(all, name, &ScalarDeclaration::name);
  if (found == all.end()) {
    throw Error("schedule '" + schedule.name + "' has no scalar '" + std::string(name) + "'");
  }
  return static_cast<ScalarSlot>(found - all.begin());
}

namespace {

class Checker {
 public:
  explicit Checker(const Schedule& schedule) : schedule_(schedule) {}

  void check(const Step& step) const {
    for (VectorSlot slot : step.vectors) {
      if (slot < 0 || static_cast<std::size_t>(slot) >= schedule_.vectors.size()) {
        fail(step, "a vector that is not declared");
      }
    }
    for (ScalarSlot slot : step.scalars) require_scalar(step, slot);
    for (ScalarSlot slot : step.sums) require_scalar(step, slot);
    if (!step.sums.empty() && step.kind != StepKind::kernel)
      fail(step, "sums of what is no kernel");
    if (step.guard) {
      require_scalar(step, step.guard->a);
      require_scalar(step, step.guard->b);
    }
    for (const ScalarAssignment& assignment : step.assignments) {
      require_scalar(step, assignment.target);
      require_scalar(step, assignment.a);
      const int operands = operand_count(assignment.operation);
      if (operands > 1) require_scalar(step, assignment.b);
      if (operands > 2) require_scalar(step, assignment.c);
    }
    for (const StopTest& stop : step.stop_tests) {
      require_scalar(step, stop.test.a);
      require_scalar(step, stop.test.b);
    }
    if (step.kind == StepKind::reduce && (step.vectors.size() != 1 || step.scalars.size() != 1)) {
      fail(step, "a reduction that is not one vector into one scalar");
    }
    if (step.kind == StepKind::exchange && !completes_full_vector(step)) {
      fail(step,
           "an exchange that does not complete a full vector, from a segment's part or alone");
    }
    if (!step.accesses.empty() && step.accesses.size() != step.vectors.size()) {
      fail(step, "not as many accesses as vectors");
    }
    check_pass(step);
  }

 private:
  VectorScope scope(VectorSlot slot) const {
    return schedule_.vectors[static_cast<std::size_t>(slot)].scope;
  }
  bool completes_full_vector(const Step& step) const {
    const std::size_t count = step.vectors.size();
    return (count == 1 || (count == 2 && scope(step.vectors[0]) == VectorScope::segment)) &&
           scope(step.vectors.back()) == VectorScope::full;
  }
  void check_pass(const Step& step) const {
    if (step.pass.has_value() != (step.kind == StepKind::kernel && step.name == pass_kernel)) {
      fail(step, step.pass ? "a pass in a step that is no kernel '" + std::string(pass_kernel) + "'"
                           : std::string("a pass that is not there"));
    }
    if (!step.pass) return;
    if (const auto fault = fault_of(*step.pass, step.vectors, step.sums.size())) fail(step, *fault);
    if (!step.accesses.empty() && step.accesses != pass_accesses(*step.pass, step.vectors.size())) {
      fail(step, "accesses that are not those of its pass");
    }
    for (const PassStatement& statement : step.pass->statements) {
      for (const PassTerm& term : statement.terms) {
        if (term.scalar != -1) require_scalar(step, term.scalar);
      }
    }
  }
  void require_scalar(const Step& step, ScalarSlot slot) const {
    if (slot < 0 || static_cast<std::size_t>(slot) >= schedule_.scalars.size()) {
      fail(step, "a scalar that is not declared");
    }
  }
  [[noreturn]] void fail(const Step& step, const std::string& what) const {
    throw Error("schedule '" + schedule_.name + "', step '" + step.name + "': " + what);
  }

  const Schedule& schedule_;
};

}  // namespace

void check_schedule(const Schedule& schedule) {
  const Checker checker(schedule);
  for (const Step& step : schedule.setup) checker.check(step);
  for (const Step& step : schedule.iteration) checker.check(step);
  for (const Step& step : schedule.finish) checker.check(step);
}

}  // namespace sparsecast
