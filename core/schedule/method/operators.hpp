#pragma once

#include <array>
#include <string_view>

#include "core/schedule/method/expression.hpp"

/// @file
/// How operations are written and how strongly they bind, for who reads and who writes them.

namespace sparsecast {

/// How strongly an expression holds its operands together; higher binds first.
namespace precedence {
inline constexpr int any = 1;
inline constexpr int logical_not = 3;
inline constexpr int comparison = 4;
inline constexpr int negate = 7;
inline constexpr int operand = 8;  ///< numbers, names, calls
}  // namespace precedence

/// An operation of two operands.
struct BinaryOperator {
  std::string_view symbol;
  Operator operation;
  int precedence;
};

inline constexpr std::array<BinaryOperator, 12> binary_operators = {{
    {"or", Operator::logical_or, 1},
    {"and", Operator::logical_and, 2},
    {"<", Operator::less, precedence::comparison},
    {"<=", Operator::less_equal, precedence::comparison},
    {">", Operator::greater, precedence::comparison},
    {">=", Operator::greater_equal, precedence::comparison},
    {"==", Operator::equal, precedence::comparison},
    {"!=", Operator::not_equal, precedence::comparison},
    {"+", Operator::add, 5},
    {"-", Operator::subtract, 5},
    {"*", Operator::multiply, 6},
    {"/", Operator::divide, 6},
}};

/// Words that are no names.
inline constexpr std::array<std::string_view, 8> grammar_words = {
    "and", "or", "not", "in", "for", "falling", "sum", "infinity"};

}  // namespace sparsecast
