#include "core/schedule/method/expression_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/nearest_name.hpp"
#include "core/base/text/short_number.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/schedule/method/method_words.hpp"

namespace sparsecast {

using Kind = Expression::Kind;
using NameKind = MethodNames::Kind;

ExpressionCheck::ExpressionCheck(const Method& method)
    : method_(method), names_(method), known_parameters_(known_parameters(method)) {}

void ExpressionCheck::refuse(const std::string& message) const {
  throw Error("schedule " + in_quotes(method_.name) + ": " + (place_.empty() ? "" : place_ + ": ") +
              message);
}

void ExpressionCheck::refuse(const Expression& at, const std::string& message) const {
  refuse("column " + std::to_string(at.place + 1) + ": " + message);
}

bool ExpressionCheck::is_index(std::string_view name) const {
  return std::ranges::find(indices_, name) != indices_.end();
}

void ExpressionCheck::open_index(const std::string& name) {
  if (is_index(name)) refuse("'" + name + "' is the index of a range around it; use another name");
  if (names_.kind(name) != NameKind::unknown) {
    refuse("the index '" + name + "' is declared as something else; use another name");
  }
  indices_.push_back(name);
}

void ExpressionCheck::require_known(const Expression& name) const {
  if (names_.kind(name.name) != NameKind::unknown) return;
  std::vector<std::string> known = names_.all();
  known.insert(known.end(), indices_.begin(), indices_.end());
  refuse(name, "unknown name " + in_quotes(name.name) + "; " + hint_of_name(name.name, known));
}

void ExpressionCheck::require_written(const Expression& name) const {
  if (!written_.contains(name.name)) {
    refuse(name, "'" + name.name + "' is read, and nothing has assigned it before; assign it in " +
                     "setup or in an earlier step");
  }
}

void ExpressionCheck::array_indices(const Expression& name, const Declaration& declaration) const {
  if (name.arguments.size() != declaration.sizes.size()) {
    refuse(name, "'" + name.name + "' has " + std::to_string(declaration.sizes.size()) +
                     " indices, found " + std::to_string(name.arguments.size()));
  }
  for (std::size_t i = 0; i < name.arguments.size(); ++i) {
    scalar(name.arguments[i]);
    const auto index = constant_value(name.arguments[i], known_parameters_);
    const auto size = constant_value(declaration.sizes[i], known_parameters_);
    if (!index || !size) continue;
    if (!(*index >= 0 && *index < *size) || std::floor(*index) != *index) {
      refuse(name.arguments[i], "the index is " + short_number(*index, 6) + "; '" + name.name +
                                    "' has 0 to " + short_number(*size - 1, 6));
    }
  }
}

void ExpressionCheck::scalar_name(const Expression& name) const {
  if (!is_index(name.name)) require_known(name);
  switch (names_.kind(name.name)) {
    case NameKind::scalar:
      array_indices(name, *names_.scalar(name.name));
      return require_written(name);
    case NameKind::vector:
      refuse(name, "'" + name.name + "' is a vector; expected a scalar, such as one that is " +
                       "assigned dot(u, v)");
    case NameKind::linear_operator:
      refuse(name, "'" + name.name + "' is an operator; expected a scalar");
    default:
      if (!name.arguments.empty()) refuse(name, "'" + name.name + "' is no array");
  }
}

void ExpressionCheck::function_call(const Expression& call) const {
  if (call.name == "dot") {
    refuse(call, "dot(u, v) stands alone behind the '=' of an apply or vector step; assign it to " +
                     std::string("a scalar there"));
  }
  if (is_matrix_function(call.name)) {
    refuse(call, call.name + " is for parameters; declare one with it");
  }
  const int operands = scalar_function_operands(call.name);
  if (operands == 0) {
    refuse(call, "unknown function " + in_quotes(call.name) + "; " +
                     hint_of_name(call.name, scalar_functions()));
  }
  if (call.arguments.size() != static_cast<std::size_t>(operands)) {
    refuse(call, call.name + " takes " + std::to_string(operands) + " operands, found " +
                     std::to_string(call.arguments.size()));
  }
}

void ExpressionCheck::scalar(const Expression& expression) const {
  switch (expression.kind) {
    case Kind::number:
      return;
    case Kind::name:
      return scalar_name(expression);
    case Kind::sum:
      refuse(expression, "sum(...) is of vectors; of scalars write a repeat");
    case Kind::call:
      function_call(expression);
      break;
    case Kind::operation:
      break;
  }
  for (const Expression& each : expression.arguments) scalar(each);
}

std::string ExpressionCheck::vector_name(const Expression& name, bool is_read) const {
  if (name.kind != Kind::name) {
    refuse(name, "expected the name of a vector; assign the expression to a vector first");
  }
  if (!is_index(name.name)) require_known(name);
  const Declaration* declaration = names_.vector(name.name);
  if (declaration == nullptr) refuse(name, "'" + name.name + "' is no vector; expected one");
  array_indices(name, *declaration);
  if (is_read) require_written(name);
  return declaration->space;
}

void ExpressionCheck::dot(const Expression& call) const {
  if (call.kind != Kind::call || call.name != "dot") {
    refuse(call, "a scalar is assigned dot(u, v) here; all else belongs into a scalar step");
  }
  if (call.arguments.size() != 2) {
    refuse(call, "dot takes 2 operands, found " + std::to_string(call.arguments.size()));
  }
  const std::string left = vector_name(call.arguments[0], true);
  const std::string right = vector_name(call.arguments[1], true);
  if (left != right) {
    refuse(call,
           "dot of a vector in '" + left + "' and one in '" + right + "'; expected one space");
  }
}

bool ExpressionCheck::target(const Expression& name) const {
  if (is_index(name.name)) refuse(name, "'" + name.name + "' is an index; it cannot be assigned");
  require_known(name);
  switch (names_.kind(name.name)) {
    case NameKind::vector: {
      const auto role = method_.roles.find("right_hand_side");
      if (role != method_.roles.end() && role->second == name.name) {
        refuse(name, "'" + name.name + "' is the right-hand side; assign another vector");
      }
      vector_name(name, false);
      return true;
    }
    case NameKind::scalar:
      array_indices(name, *names_.scalar(name.name));
      return false;
    case NameKind::parameter:
      refuse(name, "'" + name.name + "' is a parameter; declare a scalar for what changes");
    case NameKind::given_scalar:
      refuse(name, "'" + name.name + "' is given by who runs the method; it cannot be assigned");
    default:
      refuse(name, "'" + name.name + "' is an operator; it cannot be assigned");
  }
}

void ExpressionCheck::bounds(const std::vector<Expression>& range) const {
  for (const Expression& bound : range) {
    scalar(bound);
    const auto value = constant_value(bound, known_parameters_);
    if (value && (!std::isfinite(*value) || std::floor(*value) != *value)) {
      refuse(bound, "the bound is " + short_number(*value, 6) + "; expected a whole number");
    }
  }
}

std::string ExpressionCheck::applied(const Expression& product, const OperatorDeclaration& by) {
  if (!by.is_local()) {
    refuse(product, "'" + by.name +
                        "' needs more than a row of its operand; multiply by it in an " +
                        "apply step");
  }
  const std::string space = vector(product.arguments[1]);
  if (space != by.domain) {
    refuse(product, "'" + by.name + "' multiplies vectors in '" + by.domain + "', found one in '" +
                        space + "'");
  }
  return by.range;
}

std::string ExpressionCheck::product(const Expression& product) {
  const Expression& left = product.arguments[0];
  const Expression& right = product.arguments[1];
  if (left.kind == Kind::name) {
    const OperatorDeclaration* by = names_.linear_operator(left.name);
    if (by != nullptr) return applied(product, *by);
  }
  if (!names_.has_vectors(left)) {
    scalar(left);
    return vector(right);
  }
  if (names_.has_vectors(right)) {
    refuse(product,
           "a vector cannot be multiplied by a vector; write dot(u, v) for the sum of "
           "products, or declare a diagonal operator and write M*v");
  }
  scalar(right);
  return vector(left);
}

std::string ExpressionCheck::vector(const Expression& expression) {
  const auto& operands = expression.arguments;
  if (expression.kind == Kind::name) {
    const OperatorDeclaration* by = names_.linear_operator(expression.name);
    if (by == nullptr) return vector_name(expression, true);
    refuse(expression, "the operator '" + by->name + "' must stand right in front of a vector: " +
                           "alpha*(" + by->name + "*v)");
  }
  if (expression.kind == Kind::sum) {
    bounds({operands[0], operands[1]});
    open_index(expression.name);
    const std::string space = vector(operands[2]);
    close_index();
    return space;
  }
  if (expression.kind == Kind::operation) {
    switch (expression.operation) {
      case Operator::negate:
        return vector(operands[0]);
      case Operator::multiply:
        return product(expression);
      case Operator::divide:
        scalar(operands[1]);
        return vector(operands[0]);
      case Operator::add:
      case Operator::subtract: {
        const std::string left = vector(operands[0]);
        const std::string right = vector(operands[1]);
        if (left != right) {
          refuse(expression, "a vector in '" + left + "' and one in '" + right +
                                 "' cannot be added; expected one space");
        }
        return left;
      }
      default:
        break;
    }
  }
  refuse(expression,
         "expected a linear combination of vectors, found " + in_quotes(to_string(expression)));
}

void ExpressionCheck::matrix_function(const Expression& call) const {
  const auto is = [&](const Expression& name, OperatorDeclaration::Kind kind) {
    const OperatorDeclaration* by =
        name.kind == Kind::name ? names_.linear_operator(name.name) : nullptr;
    return by != nullptr && by->kind == kind;
  };
  const auto& operands = call.arguments;
  const bool of_matrix = is(operands.back(), OperatorDeclaration::Kind::matrix);
  const bool of_product =
      operands.size() == 2 && (is(operands.front(), OperatorDeclaration::Kind::inverse_diagonal) ||
                               is(operands.front(), OperatorDeclaration::Kind::identity));
  if (!of_matrix || !(operands.size() == 1 || of_product)) {
    refuse(call, call.name + " is of the matrix, or of its inverse diagonal and the matrix: " +
                     call.name + "(A), " + call.name + "(M, A)");
  }
}

void ExpressionCheck::parameter_value(const Expression& expression,
                                      const std::set<std::string>& before) const {
  if (expression.kind == Kind::name) {
    require_known(expression);
    if (!before.contains(expression.name) || !expression.arguments.empty()) {
      refuse(expression,
             "a parameter's value is of numbers, of parameters in front of it and of "
             "functions of the matrix; '" +
                 expression.name + "' is none of these");
    }
    return;
  }
  if (expression.kind == Kind::call && is_matrix_function(expression.name)) {
    return matrix_function(expression);
  }
  if (expression.kind == Kind::call) function_call(expression);
  if (expression.kind == Kind::sum) scalar(expression);
  for (const Expression& each : expression.arguments) parameter_value(each, before);
}

}  // namespace sparsecast
