#include "core/schedule/method/method_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/nearest_name.hpp"
#include "core/base/text/short_number.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {

namespace {}  // namespace

MethodNames::MethodNames(const Method& method) : method_(method) {
  const auto add = [this](const auto& list, Kind kind) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      meanings_.try_emplace(list[i].name, Meaning{kind, i});
    }
  };
  add(method.parameters, Kind::parameter);
  add(method.operators, Kind::linear_operator);
  add(method.vectors, Kind::vector);
  add(method.scalars, Kind::scalar);
  for (const std::string_view name : given_scalars) {
    meanings_.try_emplace(std::string(name), Meaning{Kind::given_scalar, 0});
  }
}

MethodNames::Kind MethodNames::kind(std::string_view name) const {
  const auto found = meanings_.find(name);
  return found == meanings_.end() ? Kind::unknown : found->second.kind;
}

const OperatorDeclaration* MethodNames::linear_operator(std::string_view name) const {
  if (kind(name) != Kind::linear_operator) return nullptr;
  return &method_.operators[meanings_.find(name)->second.place];
}

const Declaration* MethodNames::vector(std::string_view name) const {
  return kind(name) == Kind::vector ? &method_.vectors[meanings_.find(name)->second.place]
                                    : nullptr;
}

const Declaration* MethodNames::scalar(std::string_view name) const {
  return kind(name) == Kind::scalar ? &method_.scalars[meanings_.find(name)->second.place]
                                    : nullptr;
}

bool MethodNames::has_vectors(const Expression& expression) const {
  if (expression.kind == Expression::Kind::name) {
    const Kind meaning = kind(expression.name);
    return meaning == Kind::vector || meaning == Kind::linear_operator;
  }
  if (expression.kind == Expression::Kind::sum) return true;
  return expression.kind == Expression::Kind::operation &&
         std::ranges::any_of(expression.arguments,
                             [this](const Expression& each) { return has_vectors(each); });
}

std::vector<std::string> MethodNames::all() const {
  std::vector<std::string> names;
  for (const auto& [name, meaning] : meanings_) names.push_back(name);
  return names;
}

bool is_matrix_function(std::string_view name) {
  return std::ranges::find(matrix_functions, name) != std::end(matrix_functions);
}

double value_of(const Expression& expression, const ValueSource& source) {
  if (expression.kind == Expression::Kind::number) return expression.number;
  if (expression.kind == Expression::Kind::call && is_matrix_function(expression.name)) {
    return source.matrix_function(expression);
  }
  std::vector<double> operands;
  for (const Expression& each : expression.arguments) operands.push_back(value_of(each, source));
  if (expression.kind == Expression::Kind::name) return source.name(expression, operands);
  if (expression.kind == Expression::Kind::call) return evaluate(expression.name, operands.data());
  return evaluate(expression.operation, operands.front(), operands.back());
}

NamedNumbers parameter_values(const Method& method, const NamedNumbers& settings,
                              const std::function<double(const Expression& call)>& function) {
  std::vector<std::string> known;
  for (const Parameter& parameter : method.parameters) known.push_back(parameter.name);
  for (const auto& [name, value] : settings) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw Error("schedule " + in_quotes(method.name) + " has no parameter " + in_quotes(name) +
                "; " + hint_of_name(name, known));
  }
  NamedNumbers values;
  const MethodNames names(method);
  const auto without_identity = [&](Expression call) {
    const OperatorDeclaration* first = names.linear_operator(call.arguments.front().name);
    if (first != nullptr && first->kind == OperatorDeclaration::Kind::identity) {
      call.arguments.erase(call.arguments.begin());
    }
    return function(call);
  };
  const ValueSource source{
      [&](const Expression& name, const std::vector<double>&) { return values.at(name.name); },
      without_identity};
  for (const Parameter& parameter : method.parameters) {
    const auto given = settings.find(parameter.name);
    if (given != settings.end()) {
      values[parameter.name] = given->second;
    } else if (parameter.value) {
      values[parameter.name] = value_of(*parameter.value, source);
    } else {
      throw Error("schedule " + in_quotes(method.name) + " needs its parameter '" + parameter.name +
                  "'; set " + parameter.name + "=NUMBER");
    }
  }
  return values;
}

std::optional<double> cycle_steps(const Method& method, const NamedNumbers& settings) {
  const auto role = method.roles.find("restart");
  if (role == method.roles.end()) return std::nullopt;
  // A cycle is no longer for another matrix.
  const auto any = [](const Expression&) { return 1.0; };
  return parameter_values(method, settings, any).at(role->second);
}

NamedNumbers known_parameters(const Method& method) {
  NamedNumbers values;
  for (const Parameter& parameter : method.parameters) {
    if (!parameter.value) continue;
    const std::optional<double> value = constant_value(*parameter.value, values);
    if (value) values[parameter.name] = *value;
  }
  return values;
}

std::optional<double> constant_value(const Expression& expression, const NamedNumbers& parameters) {
  switch (expression.kind) {
    case Expression::Kind::number:
      return expression.number;
    case Expression::Kind::name: {
      const auto found = parameters.find(expression.name);
      return found != parameters.end() ? std::optional(found->second) : std::nullopt;
    }
    case Expression::Kind::sum:
      return std::nullopt;
    default:
      break;
  }
  std::array<double, 3> operands{};
  if (expression.arguments.size() > operands.size()) return std::nullopt;
  for (std::size_t k = 0; k < expression.arguments.size(); ++k) {
    const std::optional<double> operand = constant_value(expression.arguments[k], parameters);
    if (!operand) return std::nullopt;
    operands[k] = *operand;
  }
  if (expression.kind == Expression::Kind::operation) {
    return evaluate(expression.operation, operands[0], operands[1]);
  }
  // It may not have been checked yet.
  const auto expected = static_cast<std::size_t>(scalar_function_operands(expression.name));
  if (expected == 0 || expression.arguments.size() != expected) return std::nullopt;
  return evaluate(expression.name, operands.data());
}

std::vector<std::int64_t> sizes_of(const Declaration& declaration, const NamedNumbers& parameters) {
  std::vector<std::int64_t> sizes;
  for (const Expression& expression : declaration.sizes) {
    const std::optional<double> size = constant_value(expression, parameters);
    if (!size || !(*size >= 1 && *size <= largest_size) || std::floor(*size) != *size) {
      throw Error("the size " + to_string(expression) + " of '" + declaration.name + "' is " +
                  (size ? short_number(*size, 6) : "unknown") +
                  "; expected a whole number from 1 to " + std::to_string(largest_size));
    }
    sizes.push_back(static_cast<std::int64_t>(*size));
  }
  return sizes;
}

}  // namespace sparsecast
