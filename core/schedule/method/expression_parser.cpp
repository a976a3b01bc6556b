#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/schedule/method/expression.hpp"
#include "core/schedule/method/operators.hpp"

namespace sparsecast {

namespace {

[[noreturn]] void refuse(std::size_t place, const std::string& message) {
  throw Error("column " + std::to_string(place + 1) + ": " + message);
}

struct Token {
  enum class Kind { end, number, word, symbol };
  Kind kind = Kind::end;
  std::string_view text;
  double number = 0;
  std::size_t place = 0;

  bool is(std::string_view other) const {
    return kind != Kind::end && kind != Kind::number && text == other;
  }
  std::string described() const { return kind == Kind::end ? "the end" : in_quotes(text); }
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word_part(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Takes a text apart, a token at a time.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {
    if (text.size() > longest_expression) {
      refuse(longest_expression, "the text is longer than " + std::to_string(longest_expression) +
                                     " bytes; split it into several assignments");
    }
    take();
  }

  const Token& next() const { return next_; }
  /// The one that was taken before; nothing in front of the first.
  const Token& taken() const { return taken_; }

  Token take() {
    taken_ = next_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    next_ = {Token::Kind::end, {}, 0, at_};
    if (at_ == text_.size()) return taken_;
    if (is_digit(text_[at_])) {
      read_number();
    } else if (is_word_part(text_[at_])) {
      end_token(Token::Kind::word, skip(at_, is_word_part));
    } else {
      read_symbol();
    }
    return taken_;
  }

 private:
  template <class Is>
  std::size_t skip(std::size_t at, Is is) const {
    while (at < text_.size() && is(text_[at])) ++at;
    return at;
  }
  char character(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  void end_token(Token::Kind kind, std::size_t end) {
    next_.kind = kind;
    next_.text = text_.substr(at_, end - at_);
    at_ = end;
  }

  /// As in JSON. The point of "0..m" is no part of one.
  void read_number() {
    std::size_t end = skip(at_, is_digit);
    if (text_[at_] == '0' && end > at_ + 1) refuse(at_, "a number must not begin with 0");
    if (character(end) == '.' && is_digit(character(end + 1))) end = skip(end + 1, is_digit);
    if (character(end) == 'e' || character(end) == 'E') {
      const bool is_signed = character(end + 1) == '+' || character(end + 1) == '-';
      const std::size_t digits = end + (is_signed ? 2 : 1);
      if (!is_digit(character(digits))) refuse(digits, "expected the digits of an exponent");
      end = skip(digits, is_digit);
    }
    if (is_word_part(character(end))) refuse(end, "expected an operator after a number");
    end_token(Token::Kind::number, end);
    const auto [stop, status] =
        std::from_chars(next_.text.data(), next_.text.data() + next_.text.size(), next_.number);
    if (status != std::errc{}) {
      refuse(next_.place, "the number " + next_.described() +
                              " is beyond double precision; write 0 or infinity");
    }
  }

  void read_symbol() {
    for (const std::string_view symbol : {"<=", ">=", "==", "!=", ".."}) {
      if (text_.substr(at_, 2) == symbol) return end_token(Token::Kind::symbol, at_ + 2);
    }
    if (std::string_view("+-*/<>=()[],").find(text_[at_]) == std::string_view::npos) {
      refuse(at_, "unexpected character " + in_quotes(text_.substr(at_, 1)) +
                      "; an expression has numbers, names, operators and brackets");
    }
    end_token(Token::Kind::symbol, at_ + 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Token next_;
  Token taken_;
};

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
      refuse(assignment.target.place, "a function's value cannot be assigned");
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
        refuse(place, "brackets and signs are nested deeper than " +
                          std::to_string(deepest_expression) + "; use a scalar for a part of it");
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
    refuse(tokens_.next().place,
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
      refuse(tokens_.next().place,
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
        refuse(token.place, "'not' needs brackets around it here");
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
