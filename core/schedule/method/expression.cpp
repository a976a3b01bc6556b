#include "core/schedule/method/expression.hpp"

#include <algorithm>
#include <limits>

#include "core/schedule/method/scalar_functions.hpp"

namespace sparsecast {

double evaluate(Operator operation, double a, double b) {
  switch (operation) {
    case Operator::add:
      return a + b;
    case Operator::subtract:
      return a - b;
    case Operator::multiply:
      return a * b;
    case Operator::divide:
      return a / b;
    case Operator::less:
      return a < b ? 1 : 0;
    case Operator::less_equal:
      return a <= b ? 1 : 0;
    case Operator::greater:
      return a > b ? 1 : 0;
    case Operator::greater_equal:
      return a >= b ? 1 : 0;
    case Operator::equal:
      return a == b ? 1 : 0;
    case Operator::not_equal:
      return a != b ? 1 : 0;
    case Operator::logical_and:
      return a != 0 && b != 0 ? 1 : 0;
    case Operator::logical_or:
      return a != 0 || b != 0 ? 1 : 0;
    case Operator::negate:
      return -a;
    case Operator::logical_not:
      return a != 0 ? 0 : 1;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

int scalar_function_operands(std::string_view name) {
  const ScalarFunction* found = find_scalar_function(name);
  return found == nullptr ? 0 : operand_count(found->operation);
}

double evaluate(std::string_view function, const double* operands) {
  const ScalarOperation operation = find_scalar_function(function)->operation;
  const auto operand = [&](int k) { return k < operand_count(operation) ? operands[k] : 0; };
  return scalar_result(operation, 0.0, operand(0), operand(1), operand(2));
}

std::vector<std::string> scalar_functions() {
  std::vector<std::string> names;
  for (const ScalarFunction& function : scalar_function_table) names.emplace_back(function.name);
  return names;
}

bool mentions(const Expression& expression, std::string_view name) {
  return (expression.kind == Expression::Kind::name && expression.name == name) ||
         std::ranges::any_of(expression.arguments, [name](const Expression& argument) {
           return mentions(argument, name);
         });
}

}  // namespace sparsecast
