#include "core/schedule/method/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sparsecast {

namespace {

struct ScalarFunction {
  std::string_view name;
  int operands;
};
constexpr std::array<ScalarFunction, 7> functions = {
    {{"sqrt", 1}, {"abs", 1}, {"min", 2}, {"max", 2}, {"hypot", 2}, {"floor", 1}, {"select", 3}}};

}  // namespace

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
  const auto* found = std::ranges::find(functions, name, &ScalarFunction::name);
  return found == functions.end() ? 0 : found->operands;
}

double evaluate(std::string_view function, const double* operands) {
  const double a = operands[0];
  if (function == "sqrt") return std::sqrt(a);
  if (function == "abs") return std::abs(a);
  if (function == "floor") return std::floor(a);
  if (function == "min") return a < operands[1] ? a : operands[1];
  if (function == "max") return a > operands[1] ? a : operands[1];
  if (function == "hypot") return std::hypot(a, operands[1]);
  return a != 0 ? operands[1] : operands[2];  // select
}

std::vector<std::string> scalar_functions() {
  std::vector<std::string> names;
  for (const ScalarFunction& function : functions) names.emplace_back(function.name);
  return names;
}

}  // namespace sparsecast
