#include <algorithm>
#include <cmath>

#include "core/base/text/text_fields.hpp"
#include "core/schedule/method/expression.hpp"
#include "core/schedule/method/operators.hpp"

namespace sparsecast {

namespace {

const BinaryOperator* find_binary(Operator operation) {
  const auto* found = std::ranges::find(binary_operators, operation, &BinaryOperator::operation);
  return found == binary_operators.end() ? nullptr : found;
}

int precedence_of(const Expression& expression) {
  if (expression.kind == Expression::Kind::number) {
    return std::signbit(expression.number) ? precedence::negate : precedence::operand;
  }
  if (expression.kind != Expression::Kind::operation) return precedence::operand;
  if (expression.operation == Operator::negate) return precedence::negate;
  if (expression.operation == Operator::logical_not) return precedence::logical_not;
  return find_binary(expression.operation)->precedence;
}

/// In brackets where it binds less than that.
std::string operand_text(const Expression& expression, int least) {
  const std::string text = to_string(expression);
  return precedence_of(expression) < least ? "(" + text + ")" : text;
}

std::string number_as_written(double number) {
  if (!std::isinf(number)) return number_text(number);
  return number < 0 ? "-infinity" : "infinity";
}

std::string range_text(const Expression& from, const Expression& to) {
  return to_string(from) + ".." + to_string(to);
}

std::string operation_text(const Expression& expression) {
  const auto& operands = expression.arguments;
  if (expression.operation == Operator::negate) {
    return "-" + operand_text(operands[0], precedence::negate);
  }
  if (expression.operation == Operator::logical_not) {
    return "not " + operand_text(operands[0], precedence::logical_not);
  }
  const BinaryOperator& binary = *find_binary(expression.operation);
  // Comparisons are not chained; of the others the first two operands belong together.
  const bool chains = binary.precedence != precedence::comparison;
  const bool spaced = binary.symbol != "*" && binary.symbol != "/";
  const std::string symbol(binary.symbol);
  return operand_text(operands[0], chains ? binary.precedence : binary.precedence + 1) +
         (spaced ? " " + symbol + " " : symbol) + operand_text(operands[1], binary.precedence + 1);
}

}  // namespace

std::string to_string(const Expression& expression) {
  using Kind = Expression::Kind;
  const auto& arguments = expression.arguments;
  std::string text = expression.name;
  switch (expression.kind) {
    case Kind::number:
      return number_as_written(expression.number);
    case Kind::name:
      for (const Expression& index : arguments) text += "[" + to_string(index) + "]";
      return text;
    case Kind::operation:
      return operation_text(expression);
    case Kind::call:
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        text += (i == 0 ? "(" : ", ") + to_string(arguments[i]);
      }
      return text + ")";
    case Kind::sum:
      return "sum(" + text + " in " + range_text(arguments[0], arguments[1]) + ", " +
             to_string(arguments[2]) + ")";
  }
  return text;
}

std::string to_string(const Assignment& assignment) {
  const std::string text = to_string(assignment.target) + " = " + to_string(assignment.value);
  if (assignment.index.empty()) return text;
  return text + " for " + assignment.index + " in " +
         range_text(assignment.range[0], assignment.range[1]);
}

std::string to_string(const IndexRange& range) {
  return range.index + " in " + range_text(range.bounds[0], range.bounds[1]) +
         (range.falls ? " falling" : "");
}

bool is_name(std::string_view word) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !word.empty() && is_letter(word.front()) && std::ranges::all_of(word, is_part) &&
         std::ranges::find(grammar_words, word) == grammar_words.end();
}

}  // namespace sparsecast
