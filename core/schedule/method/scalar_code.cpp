#include "core/schedule/method/scalar_code.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/schedule/method/scalar_functions.hpp"

namespace sparsecast {
namespace {

bool gives_truth(ScalarOperation operation) {
  switch (operation) {
    case ScalarOperation::less:
    case ScalarOperation::less_equal:
    case ScalarOperation::equal:
    case ScalarOperation::logical_not:
      return true;
    default:
      return false;
  }
}

/// Of what is 1 or 0.
bool keeps_truth(ScalarOperation operation) {
  return operation == ScalarOperation::multiply || operation == ScalarOperation::maximum;
}

}  // namespace

ScalarCode::ScalarCode(const FlatNames& names, NamedNumbers parameters)
    : names_(names), numbers_(std::move(parameters)) {
  for (const std::string& name : names.scalars()) declare(name, 0);
  for (const std::string_view name : given_scalars) {
    given_.emplace(name, declare(std::string(name), 0));
  }
}

ScalarSlot ScalarCode::declare(std::string name, double initial) {
  declarations_.push_back({std::move(name), initial});
  return static_cast<ScalarSlot>(declarations_.size()) - 1;
}

ScalarSlot ScalarCode::constant(double value) {
  if (std::isnan(value)) throw Error("an expression of constants is no number, as 0/0");
  const auto [place, is_new] = constants_.try_emplace(value, -1);
  if (is_new) {
    place->second =
        declare("constant " + to_string(Expression{Expression::Kind::number, value}), value);
    if (value == 0 || value == 1) truths_.insert(place->second);
  }
  return place->second;
}

ScalarSlot ScalarCode::new_slot(const std::string& name) {
  // Never the name of a scalar, which holds no blank.
  return declare(name + " (" + std::to_string(declarations_.size()) + ")", 0);
}

ScalarSlot ScalarCode::given(std::string_view name) const {
  return given_.find(name)->second;
}

ScalarSlot ScalarCode::intermediate() {
  if (intermediate_used_ == intermediate_.size()) {
    intermediate_.push_back(new_slot("intermediate"));
    intermediate_slots_.insert(intermediate_.back());
  }
  return intermediate_[intermediate_used_++];
}

ScalarSlot ScalarCode::operation(ScalarOperation what, ScalarSlot a, ScalarSlot b, ScalarSlot c,
                                 std::vector<ScalarAssignment>& code) {
  const ScalarSlot target = intermediate();
  code.push_back({target, what, a, b, c});
  if (gives_truth(what) || (keeps_truth(what) && is_truth(a) && is_truth(b))) {
    truths_.insert(target);
  } else {
    truths_.erase(target);
  }
  return target;
}

ScalarSlot ScalarCode::truth(ScalarSlot value, std::vector<ScalarAssignment>& code) {
  if (is_truth(value)) return value;
  const ScalarSlot fails = operation(ScalarOperation::logical_not, value, -1, -1, code);
  return operation(ScalarOperation::logical_not, fails, -1, -1, code);
}

ScalarSlot ScalarCode::compile(const Expression& expression, std::vector<ScalarAssignment>& code) {
  if (const std::optional<double> value = constant_value(expression, numbers_)) {
    return constant(*value);
  }
  switch (expression.kind) {
    case Expression::Kind::name: {
      const auto given = given_.find(expression.name);
      return given != given_.end() ? given->second : names_.scalar(expression, numbers_);
    }
    case Expression::Kind::operation:
      return compile_operation(expression, code);
    case Expression::Kind::call:
      return compile_call(expression, code);
    default:
      throw Error(to_string(expression) + " is no expression of scalars");
  }
}

void ScalarCode::compile_into(ScalarSlot target, const Expression& expression,
                              std::vector<ScalarAssignment>& code) {
  const ScalarSlot value = compile(expression, code);
  if (is_intermediate(value)) {
    code.back().target = target;
  } else {
    code.push_back({target, ScalarOperation::copy, value});
  }
}

ScalarSlot ScalarCode::compile_operation(const Expression& expression,
                                         std::vector<ScalarAssignment>& code) {
  using Op = ScalarOperation;
  const ScalarSlot a = compile(expression.arguments[0], code);
  const ScalarSlot b =
      expression.arguments.size() > 1 ? compile(expression.arguments[1], code) : -1;
  const auto make = [&](Op what, ScalarSlot first, ScalarSlot second = -1) {
    return operation(what, first, second, -1, code);
  };
  switch (expression.operation) {
    case Operator::add:
      return make(Op::add, a, b);
    case Operator::subtract:
      return make(Op::subtract, a, b);
    case Operator::multiply:
      return make(Op::multiply, a, b);
    case Operator::divide:
      return make(Op::divide, a, b);
    case Operator::less:
      return make(Op::less, a, b);
    case Operator::less_equal:
      return make(Op::less_equal, a, b);
    case Operator::greater:
      return make(Op::less, b, a);
    case Operator::greater_equal:
      return make(Op::less_equal, b, a);
    case Operator::equal:
      return make(Op::equal, a, b);
    case Operator::not_equal:
      return make(Op::logical_not, make(Op::equal, a, b));
    case Operator::logical_and: {
      const ScalarSlot first = truth(a, code);
      return make(Op::multiply, first, truth(b, code));
    }
    case Operator::logical_or: {
      const ScalarSlot first = truth(a, code);
      return make(Op::maximum, first, truth(b, code));
    }
    case Operator::negate:
      return make(Op::negate, a);
    case Operator::logical_not:
      return make(Op::logical_not, a);
  }
  return -1;
}

ScalarSlot ScalarCode::compile_call(const Expression& expression,
                                    std::vector<ScalarAssignment>& code) {
  const ScalarFunction* function = find_scalar_function(expression.name);
  if (function == nullptr) throw Error(to_string(expression) + " is no expression of scalars");
  std::array<ScalarSlot, 3> operands{-1, -1, -1};
  for (std::size_t k = 0; k < expression.arguments.size(); ++k) {
    operands[k] = compile(expression.arguments[k], code);
  }
  return operation(function->operation, operands[0], operands[1], operands[2], code);
}

}  // namespace sparsecast
