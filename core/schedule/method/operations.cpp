#include "core/schedule/method/operations.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/schedule/method/growing_pass.hpp"

namespace sparsecast {
namespace {

constexpr std::size_t most_operations = 100'000;

/// An error that says where it is.
class PlacedError : public Error {
 public:
  using Error::Error;
};

/// The least of the sizes of the arrays in which `index` stands as an index by itself.
class IndexedSize {
 public:
  IndexedSize(const FlatNames& names, std::string_view index) : names_(names), index_(index) {}

  void look_at(const Expression& expression) {
    if (expression.kind == Expression::Kind::name && !expression.arguments.empty()) {
      for (std::size_t k = 0; k < expression.arguments.size(); ++k) {
        const Expression& argument = expression.arguments[k];
        if (argument.kind == Expression::Kind::name && argument.name == index_) {
          least_ = std::min(least_.value_or(names_.sizes(expression.name)[k]),
                            names_.sizes(expression.name)[k]);
        }
      }
    }
    for (const Expression& argument : expression.arguments) look_at(argument);
  }
  void look_at(const Assignment& assignment) {
    look_at(assignment.target);
    look_at(assignment.value);
  }
  void look_at(const std::vector<MethodStep>& steps) {
    for (const MethodStep& step : steps) {
      for (const Assignment& assignment : step.assignments) look_at(assignment);
      for (const MethodTest& test : step.tests) look_at(test.test);
      look_at(step.body);
    }
  }
  std::optional<std::int64_t> least() const { return least_; }

 private:
  const FlatNames& names_;
  std::string_view index_;
  std::optional<std::int64_t> least_;
};

class Unroller {
 public:
  Unroller(const Method& method, const FlatNames& names, ScalarCode& code)
      : method_(method), meanings_(method), names_(names), code_(code) {}

  std::vector<MethodOperation> list(const std::vector<MethodStep>& steps) {
    operations_.clear();
    guard_ = -1;
    is_rare_ = false;
    for (const MethodStep& step : steps) add(step);
    return std::move(operations_);
  }
  int temporaries() const { return most_temporaries_; }

 private:
  void add(const MethodStep& step) {
    const ScalarSlot outside = guard_;
    const bool outside_is_rare = is_rare_;
    try {
      const std::optional<double> known =
          step.when ? constant_value(*step.when, code_.numbers()) : 1;
      if (!known) {
        guard_ = condition(*step.when);
        is_rare_ = true;
      }
      if (known != 0) add_unconditionally(step);
    } catch (const PlacedError&) {
      throw;
    } catch (const Error& error) {
      throw PlacedError(step.place + ": " + error.what());
    }
    guard_ = outside;
    is_rare_ = outside_is_rare;
  }

  void add_unconditionally(const MethodStep& step) {
    ++step_;
    switch (step.kind) {
      case MethodStep::Kind::apply:
        add_apply(step.assignments.front());
        for (std::size_t k = 1; k < step.assignments.size(); ++k) {
          ++step_;
          add_vector(step.assignments[k]);
        }
        break;
      case MethodStep::Kind::vector:
        for (const Assignment& assignment : step.assignments) add_vector(assignment);
        break;
      case MethodStep::Kind::scalar:
        for (const Assignment& assignment : step.assignments) {
          for_each_of(assignment, [&] { add_scalar(assignment); });
        }
        break;
      case MethodStep::Kind::check:
        for (const MethodTest& test : step.tests) add_check(test);
        break;
      case MethodStep::Kind::repeat:
        add_loop(step);
        break;
      case MethodStep::Kind::leave:
        push_code({{left_, ScalarOperation::copy, code_.constant(1)}});
        break;
    }
  }

  MethodOperation& push(MethodOperation operation) {
    if (operations_.size() == most_operations) {
      throw Error("the method unrolls to more than 100 000 operations; make its loops shorter");
    }
    operation.guard = guard_;
    operation.is_rare = is_rare_;
    operations_.push_back(std::move(operation));
    return operations_.back();
  }
  void push_code(std::vector<ScalarAssignment> assignments, int step = -1) {
    code_.forget_intermediate();
    if (assignments.empty()) return;
    MethodOperation operation;
    operation.step = step;
    operation.kind = MethodOperation::Kind::scalars;
    operation.assignments = std::move(assignments);
    push(std::move(operation));
  }

  // Conditions: scalars that are 1 where all that is around holds, else 0.

  ScalarSlot push_condition(std::vector<ScalarAssignment> assignments, ScalarSlot value,
                            bool holds) {
    const ScalarSlot slot = code_.new_slot("condition");
    const ScalarSlot outside = guard_;
    if (!holds || !code_.is_truth(value)) {
      assignments.push_back({slot, ScalarOperation::logical_not, value});
      if (holds) assignments.push_back({slot, ScalarOperation::logical_not, slot});
      value = slot;
    }
    if (outside >= 0) {
      assignments.push_back({slot, ScalarOperation::multiply, value, outside});
    } else if (value != slot) {
      assignments.push_back({slot, ScalarOperation::copy, value});
    }
    guard_ = -1;  // it is 0 where what is outside does not hold
    push_code(std::move(assignments));
    guard_ = outside;
    return slot;
  }
  ScalarSlot condition(const Expression& expression) {
    std::vector<ScalarAssignment> assignments;
    const ScalarSlot value = code_.compile(expression, assignments);
    return push_condition(std::move(assignments), value, true);
  }
  /// The loop has not been left.
  ScalarSlot still_in_loop() { return push_condition({}, left_, false); }

  // Loops.

  struct Range {
    std::int64_t from = 0;
    std::int64_t to = -1;
    /// Of bounds that are known only while it runs: what holds within them.
    std::optional<Expression> within;
  };

  Range range_of(const Expression& low, const Expression& high, const std::string& index,
                 const IndexedSize& indexed) const {
    Range range;
    const std::optional<double> from = constant_value(low, code_.numbers());
    const std::optional<double> to = constant_value(high, code_.numbers());
    if ((!from || !to) && !indexed.least()) {
      throw Error("the bounds of " + index +
                  " are known only while it runs, and it is no index of an array, which would say "
                  "how far it may go");
    }
    const Expression name{Expression::Kind::name, 0, index};
    if (from) {
      range.from = static_cast<std::int64_t>(std::ceil(*from));
    } else {
      range.within = operation(Operator::less_equal, low, name);
    }
    if (to) {
      range.to = static_cast<std::int64_t>(std::floor(*to));
    } else {
      range.to = *indexed.least() - 1;
      const Expression below = operation(Operator::less_equal, name, high);
      range.within = range.within ? operation(Operator::logical_and, *range.within, below) : below;
    }
    return range;
  }

  void add_loop(const MethodStep& step) {
    IndexedSize indexed(names_, step.index);
    indexed.look_at(step.body);
    const Range range = range_of(step.range[step.falls ? 1 : 0], step.range[step.falls ? 0 : 1],
                                 step.index, indexed);
    const ScalarSlot outside = guard_;
    const bool leaves = std::ranges::any_of(
        step.body, [](const MethodStep& each) { return each.kind == MethodStep::Kind::leave; });
    const ScalarSlot outer_left = std::exchange(left_, leaves ? code_.new_slot("left") : -1);
    if (leaves) push_code({{left_, ScalarOperation::copy, code_.constant(0)}});
    const std::int64_t count = std::max<std::int64_t>(0, range.to - range.from + 1);
    for (std::int64_t k = 0; k < count; ++k) {
      code_.numbers()[step.index] = static_cast<double>(step.falls ? range.to - k : range.from + k);
      if (leaves && k > 0) guard_ = still_in_loop();
      if (range.within) guard_ = condition(*range.within);
      for (const MethodStep& each : step.body) {
        add(each);
        if (each.kind == MethodStep::Kind::leave) guard_ = still_in_loop();
      }
      guard_ = outside;
    }
    code_.numbers().erase(step.index);
    left_ = outer_left;
  }

  /// For each index of an assignment.
  template <class Body>
  void for_each_of(const Assignment& assignment, const Body& body) {
    if (assignment.index.empty()) return body();
    IndexedSize indexed(names_, assignment.index);
    indexed.look_at(assignment);
    const Range range =
        range_of(assignment.range[0], assignment.range[1], assignment.index, indexed);
    const ScalarSlot outside = guard_;
    for (std::int64_t i = range.from; i <= range.to; ++i) {
      code_.numbers()[assignment.index] = static_cast<double>(i);
      if (range.within) guard_ = condition(*range.within);
      body();
      guard_ = outside;
    }
    code_.numbers().erase(assignment.index);
  }

  // Scalars and checks.

  void add_scalar(const Assignment& assignment) {
    std::vector<ScalarAssignment> assignments;
    code_.compile_into(names_.scalar(assignment.target, code_.numbers()), assignment.value,
                       assignments);
    push_code(std::move(assignments), step_);
  }

  /// A slot with the value for as long as it is needed, whatever is computed until then.
  ScalarSlot kept(const Expression& expression, std::vector<ScalarAssignment>& assignments) {
    const ScalarSlot value = code_.compile(expression, assignments);
    if (!code_.is_intermediate(value)) return value;
    const ScalarSlot slot = code_.new_slot("value");
    assignments.back().target = slot;
    return slot;
  }

  void add_check(const MethodTest& test) {
    MethodOperation operation;
    operation.kind = MethodOperation::Kind::check;
    operation.test.outcome = test.outcome;
    std::vector<ScalarAssignment> assignments;
    const auto is = [&](Operator one, Operator other) {
      return test.test.kind == Expression::Kind::operation &&
             (test.test.operation == one || test.test.operation == other);
    };
    ScalarTest& tested = operation.test.test;
    if (is(Operator::less, Operator::less_equal) ||
        is(Operator::greater, Operator::greater_equal)) {
      const bool swapped = is(Operator::greater, Operator::greater_equal);
      tested.a = kept(test.test.arguments[swapped ? 1 : 0], assignments);
      tested.b = kept(test.test.arguments[swapped ? 0 : 1], assignments);
      tested.comparison =
          is(Operator::less, Operator::greater) ? Comparison::less : Comparison::less_equal;
    } else {
      tested.a = code_.constant(0);
      tested.b = kept(test.test, assignments);
    }
    push_code(std::move(assignments));
    push(std::move(operation));
  }

  // Vectors.

  VectorSlot diagonal_slot(const OperatorDeclaration& which) const {
    return static_cast<VectorSlot>(names_.vectors().size()) +
           static_cast<VectorSlot>(&which - method_.operators.data());
  }

  /// A vector for as long as an assignment is carried out.
  VectorSlot next_temporary() {
    most_temporaries_ = std::max(most_temporaries_, ++temporaries_);
    return static_cast<VectorSlot>(names_.vectors().size() + method_.operators.size()) +
           temporaries_ - 1;
  }

  /// The operator, where it is of inverse diagonal blocks, of a product.
  const OperatorDeclaration* blocks_of(const Expression& product) const {
    const bool is_product =
        product.kind == Expression::Kind::operation && product.operation == Operator::multiply;
    const OperatorDeclaration* which =
        is_product ? meanings_.linear_operator(product.arguments[0].name) : nullptr;
    return which != nullptr && which->kind == OperatorDeclaration::Kind::inverse_block_diagonal
               ? which
               : nullptr;
  }

  /// The vector that an expression is, or a temporary with its value.
  VectorSlot evaluated(const Expression& expression) {
    if (expression.kind == Expression::Kind::name) {
      return names_.vector(expression, code_.numbers());
    }
    const VectorSlot slot = next_temporary();
    assign(slot, expression);
    return slot;
  }

  void push_blocks(const OperatorDeclaration& which, VectorSlot input, VectorSlot target) {
    MethodOperation operation;
    operation.kind = MethodOperation::Kind::apply;
    operation.step = step_;
    operation.target = target;
    operation.input = input;
    operation.blocks = diagonal_slot(which);
    operation.block_size = which.block_size;
    push(std::move(operation));
  }

  void add_apply(const Assignment& assignment) {
    const OperatorDeclaration* which =
        meanings_.linear_operator(assignment.value.arguments[0].name);
    if (which->is_local()) return add_vector(assignment);
    MethodOperation operation;
    operation.kind = MethodOperation::Kind::apply;
    operation.transposed = which->kind == OperatorDeclaration::Kind::transpose;
    operation.target = names_.vector(assignment.target, code_.numbers());
    operation.input = names_.vector(assignment.value.arguments[1], code_.numbers());
    push(std::move(operation));
  }

  void add_vector(const Assignment& assignment) {
    for_each_of(assignment, [&] {
      if (assignment.value.kind == Expression::Kind::call) {
        add_dot(assignment);
      } else {
        add_combination(assignment);
      }
    });
  }

  void add_dot(const Assignment& assignment) {
    MethodOperation operation;
    operation.kind = MethodOperation::Kind::dot;
    operation.step = step_;
    operation.a = names_.vector(assignment.value.arguments[0], code_.numbers());
    operation.b = names_.vector(assignment.value.arguments[1], code_.numbers());
    operation.sum = names_.scalar(assignment.target, code_.numbers());
    push(std::move(operation));
  }

  void add_combination(const Assignment& assignment) {
    temporaries_ = 0;
    const VectorSlot target = names_.vector(assignment.target, code_.numbers());
    if (const OperatorDeclaration* which = blocks_of(assignment.value)) {
      const VectorSlot input = evaluated(assignment.value.arguments[1]);
      if (input != target) return push_blocks(*which, input, target);
    }
    assign(target, assignment.value);
  }

  /// In pieces, where it has more vectors than a pass has operands: the first assigns, the others
  /// add to it.
  void assign(VectorSlot target, const Expression& value) {
    Combination combination;
    add_terms(value, {}, combination);
    std::vector<LinearTerm>& terms = combination.terms;
    std::stable_partition(terms.begin(), terms.end(),
                          [target](const LinearTerm& term) { return term.vector == target; });
    push_code(std::move(combination.assignments));
    std::size_t at = 0;
    do {
      MethodOperation operation;
      operation.kind = MethodOperation::Kind::assign;
      operation.step = step_;
      operation.target = target;
      if (at > 0) operation.terms.push_back({1, -1, target, -1});
      // As many terms as one pass can carry out, which are nearly always all.
      std::size_t end = std::min(terms.size(), at + most_pass_terms + most_block_vectors);
      const auto with = [&] {
        MethodOperation taken = operation;
        taken.terms.insert(taken.terms.end(), terms.begin() + static_cast<std::ptrdiff_t>(at),
                           terms.begin() + static_cast<std::ptrdiff_t>(end));
        return taken;
      };
      while (end > at + 1 && !GrowingPass().take(with())) --end;
      push(with());
      at = end;
    } while (at < terms.size());
  }

  struct Combination {
    std::vector<LinearTerm> terms;
    std::vector<ScalarAssignment> assignments;  ///< that compute the terms' scalars
  };
  /// What a part of an expression is multiplied by.
  struct Weight {
    double factor = 1;
    std::optional<Expression> scalar;
    VectorSlot times = -1;

    Weight by(const Expression& more) const {
      Weight result = *this;
      result.scalar = scalar ? operation(Operator::multiply, *scalar, more) : more;
      return result;
    }
  };

  void add_terms(const Expression& expression, const Weight& weight, Combination& to) {
    switch (expression.kind) {
      case Expression::Kind::number:  // 0, the one constant that is a vector
        return;
      case Expression::Kind::name:
        return add_term(names_.vector(expression, code_.numbers()), weight, to);
      case Expression::Kind::sum:
        return add_sum(expression, weight, to);
      default:
        break;
    }
    const Expression& first = expression.arguments[0];
    Weight negative = weight;
    negative.factor = -negative.factor;
    switch (expression.operation) {
      case Operator::negate:
        return add_terms(first, negative, to);
      case Operator::add:
      case Operator::subtract:
        add_terms(first, weight, to);
        return add_terms(expression.arguments[1],
                         expression.operation == Operator::add ? weight : negative, to);
      case Operator::divide:
        return add_terms(
            first, weight.by(operation(Operator::divide, number(1), expression.arguments[1])), to);
      default:
        return add_product(first, expression.arguments[1], weight, to);
    }
  }

  void add_product(const Expression& left, const Expression& right, const Weight& weight,
                   Combination& to) {
    if (const OperatorDeclaration* which = meanings_.linear_operator(left.name)) {
      if (which->kind == OperatorDeclaration::Kind::identity) return add_terms(right, weight, to);
      if (which->kind == OperatorDeclaration::Kind::inverse_block_diagonal) {
        const VectorSlot input = evaluated(right);
        const VectorSlot product = next_temporary();
        push_blocks(*which, input, product);
        return add_term(product, weight, to);
      }
      if (weight.times >= 0) {
        throw Error("two diagonals one after the other; assign " + to_string(right) +
                    " times the inner one to a vector first");
      }
      Weight scaled = weight;
      scaled.times = diagonal_slot(*which);
      return add_terms(right, scaled, to);
    }
    return meanings_.has_vectors(right) ? add_terms(right, weight.by(left), to)
                                        : add_terms(left, weight.by(right), to);
  }

  void add_sum(const Expression& expression, const Weight& weight, Combination& to) {
    IndexedSize indexed(names_, expression.name);
    indexed.look_at(expression.arguments[2]);
    const Range range =
        range_of(expression.arguments[0], expression.arguments[1], expression.name, indexed);
    for (std::int64_t i = range.from; i <= range.to; ++i) {
      code_.numbers()[expression.name] = static_cast<double>(i);
      add_terms(expression.arguments[2], range.within ? weight.by(*range.within) : weight, to);
    }
    code_.numbers().erase(expression.name);
  }

  void add_term(VectorSlot vector, const Weight& weight, Combination& to) {
    LinearTerm term{weight.factor, -1, vector, weight.times};
    if (weight.scalar) {
      if (const auto value = constant_value(*weight.scalar, code_.numbers())) {
        term.factor *= *value;
      } else {
        term.scalar = kept(*weight.scalar, to.assignments);
      }
    }
    if (term.factor != 0) to.terms.push_back(term);
  }

  static Expression operation(Operator what, const Expression& a, const Expression& b) {
    return {Expression::Kind::operation, 0, "", what, {a, b}};
  }
  static Expression number(double value) { return {Expression::Kind::number, value}; }

  const Method& method_;
  const MethodNames meanings_;
  const FlatNames& names_;
  ScalarCode& code_;
  std::vector<MethodOperation> operations_;
  int step_ = -1;
  ScalarSlot guard_ = -1;
  bool is_rare_ = false;
  ScalarSlot left_ = -1;  ///< the innermost loop has been left; -1: it has no `break`
  int temporaries_ = 0;   ///< of the assignment at hand
  int most_temporaries_ = 0;
};

bool mentions(const std::vector<MethodStep>& steps, std::string_view name) {
  return std::ranges::any_of(steps, [name](const MethodStep& step) {
    return std::ranges::any_of(
               step.assignments,
               [name](const Assignment& each) { return mentions(each.value, name); }) ||
           std::ranges::any_of(
               step.tests, [name](const MethodTest& each) { return mentions(each.test, name); }) ||
           std::ranges::any_of(step.range,
                               [name](const Expression& each) { return mentions(each, name); }) ||
           (step.when && mentions(*step.when, name)) || mentions(step.body, name);
  });
}

}  // namespace

MethodOperations unrolled(const Method& method, const FlatNames& names, ScalarCode& code) {
  Unroller unroller(method, names, code);
  MethodOperations all{unroller.list(method.setup), unroller.list(method.iteration),
                       unroller.list(method.finish)};
  all.temporaries = unroller.temporaries();
  if (mentions(method.setup, "iteration") || mentions(method.iteration, "iteration") ||
      mentions(method.finish, "iteration")) {
    const ScalarSlot completed = code.given("iteration");
    MethodOperation count;
    count.assignments = {{completed, ScalarOperation::add, completed, code.constant(1)}};
    all.iteration.push_back(std::move(count));
  }
  return all;
}

}  // namespace sparsecast
