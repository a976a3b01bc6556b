#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Expressions of the language that solvers are written in (docs/schedules.md has the grammar):
/// arithmetic of scalars, linear combinations of vectors, dot products. An expression is what its
/// text says; what its names mean is for who holds the declarations.

namespace sparsecast {

enum class Operator {
  // Of two operands.
  add,
  subtract,
  multiply,
  divide,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  // Of one.
  negate,
  logical_not,
};

struct Expression {
  enum class Kind {
    number,     ///< `number`
    name,       ///< `name`, with an index for each dimension in `arguments`: "rho", "h[i][j+1]"
    operation,  ///< `operation` of `arguments`
    call,       ///< function `name` of `arguments`: "sqrt(x)", "dot(u, v)", "select(c, a, b)"
    sum,        ///< "sum(i in FROM..TO, TERM)": `name` is i, `arguments` FROM, TO, TERM
  };
  Kind kind = Kind::number;
  double number = 0;
  std::string name{};
  Operator operation = Operator::add;
  std::vector<Expression> arguments{};
  /// Where it begins in its text, in bytes, for messages.
  std::size_t place = 0;
};

/// "target = value", and "target = value for i in FROM..TO" (the index rises from FROM to TO; with
/// FROM above TO nothing is assigned).
struct Assignment {
  Expression target;  ///< a name, with its indices
  Expression value;
  std::string index;              ///< empty: one assignment
  std::vector<Expression> range;  ///< FROM, TO; empty without index
  std::string text;               ///< as written, for messages
};

/// "INDEX in FROM..TO", and "INDEX in FROM..TO falling": from FROM down to TO.
struct IndexRange {
  std::string index;
  std::vector<Expression> bounds;  ///< FROM, TO
  bool falls = false;
};

/// Brackets and signs that may be nested, and bytes of a text, at most.
inline constexpr int deepest_expression = 64;
inline constexpr std::size_t longest_expression = 4096;

/// Reads a whole text as one expression. Throws `Error`: what is wrong, at which column, and what
/// was expected ("column 9: expected a number, a name or '(' after '*', found ')'").
Expression parse_expression(std::string_view text);

/// The same of an assignment.
Assignment parse_assignment(std::string_view text);

/// The same of what a step repeats over.
IndexRange parse_range(std::string_view text);

/// As it could have been written, with no more brackets than needed.
std::string to_string(const Expression& expression);

/// The same of an assignment and of a range.
std::string to_string(const Assignment& assignment);
std::string to_string(const IndexRange& range);

/// Whether a name, as of an index or of an operator, stands anywhere in the expression.
bool mentions(const Expression& expression, std::string_view name);

/// Whether a word may name something: a letter, then letters, digits and underscores, and no word
/// of the grammar ("and", "or", "not", "in", "for", "falling", "sum", "infinity").
bool is_name(std::string_view word);

/// The value of an operation and of a function of scalars ("sqrt", "abs", "min", "max", "hypot",
/// "floor", "select"). Comparisons give 1 or 0, and 0 where an operand is no number (`not_equal`
/// 1); what is not 0 holds. Of operations with one operand, `b` does not matter.
double evaluate(Operator operation, double a, double b);
/// How many operands a function of scalars has; 0 for one that there is not.
int scalar_function_operands(std::string_view name);
/// The value of one that there is; `min(a, b)` is a where a < b and else b, `max` likewise.
double evaluate(std::string_view function, const double* operands);
/// The names of all of them.
std::vector<std::string> scalar_functions();

}  // namespace sparsecast
