#include <algorithm>
#include <limits>
#include <utility>

#include "core/schedule/method/expression.hpp"
#include "core/schedule/method/expression_tokens.hpp"
#include "core/schedule/method/operators.hpp"

namespace sparsecast {

namespace {

Expression operation_of(Operator operation, std::size_t place, std::vector<Expression> operands) {
  Expression expression;
  expression.kind = Expression::Kind::operation;
  expression.operation = operation;
  expression.place = place;
  expression.arguments = std::move(operands);
  return expression;
}

/// Precedence climbing (Pratt 1973).
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(text) {}

  Expression expression(int least = precedence::any) {
    Expression left = operand(least);
    for (;;) {
      const BinaryOperator* binary = binary_operator();
      if (binary == nullptr || binary->precedence < least) return left;
      tokens_.take();
      Expression right = expression(binary->precedence + 1);
      const std::size_t place = left.place;
      std::vector<Expression> operands;
      operands.push_back(std::move(left));
      operands.push_back(std::move(right));
      left = operation_of(binary->operation, place, std::move(operands));
      if (binary->precedence == precedence::comparison) refuse_chained_comparison();
    }
  }

  Assignment assignment() {
    Assignment assignment;
    if (!is_name(tokens_.next().text)) refuse_next("the name of what is assigned");
    assignment.target = operand(precedence::operand);
    if (assignment.target.kind != Expression::Kind::name) {
      refuse_at(assignment.target.place, "a function's value cannot be assigned");
    }
    require("=");
    assignment.value = expression();
    if (accept("for")) {
      IndexRange range = index_range();
      assignment.index = std::move(range.index);
      assignment.range = std::move(range.bounds);
    }
    require_end();
    return assignment;
  }

  /// "i in FROM..TO"
  IndexRange index_range() {
    IndexRange range;
    range.index = name("the name of an index");
    require("in");
    range.bounds.push_back(expression());
    require("..");
    range.bounds.push_back(expression());
    return range;
  }

  bool accept(std::string_view text) {
    if (!tokens_.next().is(text)) return false;
    tokens_.take();
    return true;
  }
  void require_end() {
    if (tokens_.next().kind != Token::Kind::end) refuse_next("an operator or the end");
  }

 private:
  /// Counts how deep brackets and signs are nested while it lives.
  class Nesting {
   public:
    Nesting(int& depth, std::size_t place) : depth_(depth) {
      if (++depth_ > deepest_expression) {
        refuse_at(place, "brackets and signs are nested deeper than " +
                             std::to_string(deepest_expression) +
                             "; use a scalar for a part of it");
      }
    }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int& depth_;
  };

  [[noreturn]] void refuse_next(const std::string& expected) const {
    const Token& before = tokens_.taken();
    refuse_at(tokens_.next().place,
              "expected " + expected +
                  (before.kind == Token::Kind::end ? "" : " after " + before.described()) +
                  ", found " + tokens_.next().described());
  }
  void require(std::string_view text) {
    if (!accept(text)) refuse_next("'" + std::string(text) + "'");
  }
  std::string name(const std::string& expected) {
    if (!is_name(tokens_.next().text)) refuse_next(expected);
    return std::string(tokens_.take().text);
  }

  const BinaryOperator* binary_operator() const {
    const auto* found = std::ranges::find_if(binary_operators, [this](const BinaryOperator& each) {
      return tokens_.next().is(each.symbol);
    });
    return found == binary_operators.end() ? nullptr : found;
  }
  void refuse_chained_comparison() const {
    const BinaryOperator* next = binary_operator();
    if (next != nullptr && next->precedence == precedence::comparison) {
      refuse_at(tokens_.next().place,
                "comparisons are not chained; write 'a < b and b < c' or use brackets");
    }
  }

  Expression sign(Operator operation, int precedence) {
    const std::size_t place = tokens_.take().place;
    const Nesting nesting(depth_, place);
    std::vector<Expression> operands;
    operands.push_back(expression(precedence));
    return operation_of(operation, place, std::move(operands));
  }

  Expression operand(int least) {
    const Token& token = tokens_.next();
    if (token.is("-")) return sign(Operator::negate, precedence::negate);
    if (token.is("not")) {
      if (least > precedence::logical_not)
        refuse_at(token.place, "'not' needs brackets around it here");
      return sign(Operator::logical_not, precedence::logical_not);
    }
    if (token.is("(")) {
      const Nesting nesting(depth_, tokens_.take().place);
      Expression inside = expression();
      require(")");
      return inside;
    }
    if (token.kind == Token::Kind::number || token.is("infinity")) return number();
    if (token.is("sum")) return sum();
    if (token.kind != Token::Kind::word || !is_name(token.text)) {
      refuse_next("a number, a name or '('");
    }
    return name_or_call();
  }

  Expression number() {
    const Token token = tokens_.take();
    Expression expression;
    expression.number =
        token.kind == Token::Kind::number ? token.number : std::numeric_limits<double>::infinity();
    expression.place = token.place;
    return expression;
  }

  Expression sum() {
    const Nesting nesting(depth_, tokens_.next().place);
    Expression sum;
    sum.kind = Expression::Kind::sum;
    sum.place = tokens_.take().place;
    require("(");
    IndexRange range = index_range();
    sum.name = std::move(range.index);
    sum.arguments = std::move(range.bounds);
    require(",");
    sum.arguments.push_back(expression());
    require(")");
    return sum;
  }

  Expression name_or_call() {
    const Token token = tokens_.take();
    Expression expression;
    expression.kind = Expression::Kind::name;
    expression.name = std::string(token.text);
    expression.place = token.place;
    if (tokens_.next().is("(")) {
      const Nesting nesting(depth_, tokens_.take().place);
      expression.kind = Expression::Kind::call;
      do {
        expression.arguments.push_back(this->expression());
      } while (accept(","));
      require(")");
      return expression;
    }
    while (tokens_.next().is("[")) {
      const Nesting nesting(depth_, tokens_.take().place);
      expression.arguments.push_back(this->expression());
      require("]");
    }
    return expression;
  }

  Tokens tokens_;
  int depth_ = 0;
};

}  // namespace

Expression parse_expression(std::string_view text) {
  Parser parser(text);
  Expression expression = parser.expression();
  parser.require_end();
  return expression;
}

Assignment parse_assignment(std::string_view text) {
  Assignment assignment = Parser(text).assignment();
  assignment.text = std::string(text);
  return assignment;
}

IndexRange parse_range(std::string_view text) {
  Parser parser(text);
  IndexRange range = parser.index_range();
  range.falls = parser.accept("falling");
  parser.require_end();
  return range;
}

}  // namespace sparsecast
