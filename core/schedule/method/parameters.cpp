#include "core/schedule/method/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/nearest_name.hpp"

namespace sparsecast {
namespace {

/// The expression with functions of the matrix replaced by their values.
Expression without_matrix(const Expression& expression, const Method& method,
                          const MatrixFunction& of_matrix) {
  Expression result = expression;
  if (expression.kind == Expression::Kind::call && scalar_function_operands(expression.name) == 0) {
    std::vector<const OperatorDeclaration*> operators;
    for (const Expression& argument : expression.arguments) {
      operators.push_back(
          &*std::ranges::find(method.operators, argument.name, &OperatorDeclaration::name));
    }
    return {Expression::Kind::number, of_matrix(expression.name, operators)};
  }
  for (Expression& argument : result.arguments) {
    argument = without_matrix(argument, method, of_matrix);
  }
  return result;
}

void require_known(const Method& method, const NamedNumbers& settings) {
  std::vector<std::string> known;
  for (const Parameter& each : method.parameters) known.push_back(each.name);
  for (const auto& [name, value] : settings) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string nearest = nearest_name(name, known);
    throw Error("schedule '" + method.name + "' has no parameter " + name +
                (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
  }
}

}  // namespace

NamedNumbers parameter_values(const Method& method, const NamedNumbers& settings,
                              const MatrixFunction& of_matrix) {
  require_known(method, settings);
  NamedNumbers values;
  for (const Parameter& parameter : method.parameters) {
    const auto given = settings.find(parameter.name);
    std::optional<double> value;
    if (given != settings.end()) {
      value = given->second;
    } else if (parameter.value) {
      value = constant_value(without_matrix(*parameter.value, method, of_matrix), values);
    } else {
      throw Error("schedule '" + method.name + "' needs a value of " + parameter.name +
                  "; give it with --set " + parameter.name + "=NUMBER");
    }
    if (!value || !std::isfinite(*value)) {
      throw Error("parameter " + parameter.name + " of schedule '" + method.name +
                  "' has no finite value; give it with --set " + parameter.name + "=NUMBER");
    }
    values[parameter.name] = *value;
  }
  return values;
}

}  // namespace sparsecast
