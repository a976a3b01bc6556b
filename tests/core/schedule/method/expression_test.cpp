#include "core/schedule/method/expression.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// An expression with all brackets.
std::string structure(const Expression& expression) {
  if (expression.kind != Expression::Kind::operation) {
    if (expression.arguments.empty()) return to_string(expression);
    std::string text = expression.name + "{";
    for (const Expression& each : expression.arguments) text += structure(each) + ";";
    return text + "}";
  }
  std::string text = "(" + std::to_string(static_cast<int>(expression.operation));
  for (const Expression& each : expression.arguments) text += " " + structure(each);
  return text + ")";
}

std::string again(const std::string& text) {
  return to_string(parse_expression(text));
}

std::string refusal(const std::string& text) {
  return refusal_of([&] { parse_expression(text); });
}

/// The value of an expression without names.
double value(const Expression& expression) {
  std::vector<double> operands;
  for (const Expression& each : expression.arguments) operands.push_back(value(each));
  if (expression.kind == Expression::Kind::number) return expression.number;
  if (expression.kind == Expression::Kind::call) {
    return evaluate(expression.name, operands.data());
  }
  return evaluate(expression.operation, operands.at(0), operands.size() > 1 ? operands[1] : 0);
}

double value(const std::string& text) {
  return value(parse_expression(text));
}

TEST(Expression, BindsAsArithmeticDoes) {
  EXPECT_EQ(value("2 + 3*4 - 6/2/3"), 13);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("-2*-3"), 6);
  EXPECT_EQ(value("--4"), 4);
  EXPECT_EQ(value("2*(3 + 4)"), 14);
  EXPECT_EQ(value("1 + 1 < 3 and not 2 == 3"), 1);
  EXPECT_EQ(value("1 or 0 and 0"), 1);
  EXPECT_EQ(value("(1 or 0) and 0"), 0);
  EXPECT_EQ(value("not 0 and 0"), 0);
  EXPECT_EQ(value("1 < 2 or 3 > 4 and 0"), 1);
}

TEST(Expression, ReadsNumbersAsJsonDoesAndInfinity) {
  EXPECT_EQ(value("0"), 0);
  EXPECT_EQ(value("0.25"), 0.25);
  EXPECT_EQ(value("1.5e-3"), 1.5e-3);
  EXPECT_EQ(value("2E+2"), 200);
  EXPECT_EQ(value("infinity"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(value("-infinity"), -std::numeric_limits<double>::infinity());
}

TEST(Expression, HasTheFunctionsOfScalars) {
  EXPECT_EQ(value("sqrt(9)"), 3);
  EXPECT_EQ(value("abs(-2)"), 2);
  EXPECT_EQ(value("min(3, 2)"), 2);
  EXPECT_EQ(value("max(3, 2)"), 3);
  EXPECT_EQ(value("hypot(3, 4)"), 5);
  EXPECT_EQ(value("floor(-1.5)"), -2);
  EXPECT_EQ(value("select(2 > 1, 7, 8)"), 7);
  EXPECT_EQ(value("select(2 < 1, 7, 8)"), 8);
  EXPECT_EQ(scalar_function_operands("select"), 3);
  EXPECT_EQ(scalar_function_operands("dot"), 0);
  for (const std::string& name : scalar_functions()) EXPECT_GT(scalar_function_operands(name), 0);
}

TEST(Expression, ComparesNothingWithWhatIsNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Operator comparison : {Operator::less, Operator::less_equal, Operator::greater,
                                    Operator::greater_equal, Operator::equal}) {
    EXPECT_EQ(evaluate(comparison, nan, 1), 0);
    EXPECT_EQ(evaluate(comparison, 1, nan), 0);
  }
  EXPECT_EQ(evaluate(Operator::not_equal, nan, nan), 1);
}

TEST(Expression, KeepsNamesIndicesAndCalls) {
  const Expression expression = parse_expression("H[i][j+1]*dot(V[i], w)");
  EXPECT_EQ(expression.operation, Operator::multiply);
  EXPECT_EQ(expression.arguments[0].name, "H");
  EXPECT_EQ(expression.arguments[0].arguments.size(), 2u);
  EXPECT_EQ(expression.arguments[1].kind, Expression::Kind::call);
  EXPECT_EQ(expression.arguments[1].place, 10u);
  EXPECT_EQ(expression.arguments[1].arguments[1].name, "w");
}

TEST(Expression, ReadsSumsOverARange) {
  const Expression sum = parse_expression("w - sum(i in 0..j, h[i]*V[i])").arguments[1];
  EXPECT_EQ(sum.kind, Expression::Kind::sum);
  EXPECT_EQ(sum.name, "i");
  ASSERT_EQ(sum.arguments.size(), 3u);
  EXPECT_EQ(to_string(sum.arguments[1]), "j");
  EXPECT_EQ(to_string(sum.arguments[2]), "h[i]*V[i]");
}

TEST(Expression, IsWrittenWithNoMoreBracketsThanNeeded) {
  EXPECT_EQ(again("((a) + (b*c))"), "a + b*c");
  EXPECT_EQ(again("(a - b) - c"), "a - b - c");
  EXPECT_EQ(again("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(again("-(a*b)"), "-(a*b)");
  EXPECT_EQ(again("(-a)*b"), "-a*b");
  EXPECT_EQ(again("not (a == b)"), "not a == b");
  EXPECT_EQ(again("(not a) == b"), "(not a) == b");
  EXPECT_EQ(again("(a < b) == (c < d)"), "(a < b) == (c < d)");
  EXPECT_EQ(again("sum( i in 0 .. j-1,h[ i ]*V[i] )"), "sum(i in 0..j - 1, h[i]*V[i])");
  EXPECT_EQ(again("infinity/1e300"), "infinity/1e+300");
}

Expression random_expression(std::mt19937& random, int depth) {
  Expression expression;
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) {
      expression.arguments.push_back(random_expression(random, depth - 1));
    }
  };
  const auto kind = depth == 0 ? random() % 2 : random() % 7;
  expression.kind = kind >= 4   ? Expression::Kind::operation
                    : kind == 0 ? Expression::Kind::number
                    : kind == 1 ? Expression::Kind::name
                    : kind == 2 ? Expression::Kind::call
                                : Expression::Kind::sum;
  switch (expression.kind) {
    case Expression::Kind::number:
      expression.number = std::uniform_real_distribution<double>(0.5, 1.5)(random);
      break;
    case Expression::Kind::name:
      expression.name = "h";
      if (depth > 0) add(static_cast<int>(random() % 3));
      break;
    case Expression::Kind::call:
      expression.name = "min";
      add(2);
      break;
    case Expression::Kind::sum:
      expression.name = "i";
      add(3);
      break;
    case Expression::Kind::operation:
      expression.operation = static_cast<Operator>(random() % 14);
      add(expression.operation >= Operator::negate ? 1 : 2);
      break;
  }
  return expression;
}

TEST(Expression, ReadsBackWhatItWrites) {
  std::mt19937 random(17);
  for (int i = 0; i < 3000; ++i) {
    const Expression expression = random_expression(random, 5);
    const std::string text = to_string(expression);
    if (text.size() > longest_expression) continue;
    EXPECT_EQ(structure(parse_expression(text)), structure(expression)) << text;
    EXPECT_EQ(again(text), text);
  }
}

TEST(Expression, SaysAtWhichColumnItIsWrong) {
  EXPECT_EQ(refusal("a + b * )"),
            "column 9: expected a number, a name or '(' after '*', found ')'");
  EXPECT_EQ(refusal(""), "column 1: expected a number, a name or '(', found the end");
  EXPECT_EQ(refusal("a b"), "column 3: expected an operator or the end after 'a', found 'b'");
  EXPECT_EQ(refusal("(a"), "column 3: expected ')' after 'a', found the end");
  EXPECT_EQ(refusal("h[1"), "column 4: expected ']' after '1', found the end");
  EXPECT_EQ(refusal("f()"), "column 3: expected a number, a name or '(' after '(', found ')'");
  EXPECT_EQ(refusal("a & b"),
            "column 3: unexpected character '&'; an expression has numbers, names, operators and "
            "brackets");
  EXPECT_EQ(refusal("a < b < c"),
            "column 7: comparisons are not chained; write 'a < b and b < c' or use brackets");
  EXPECT_EQ(refusal("1 + not a"), "column 5: 'not' needs brackets around it here");
  EXPECT_EQ(refusal("1 + 007"), "column 5: a number must not begin with 0");
  EXPECT_EQ(refusal("2x"), "column 2: expected an operator after a number");
  EXPECT_EQ(refusal("1."),
            "column 2: unexpected character '.'; an expression has numbers, names, "
            "operators and brackets");
  EXPECT_EQ(refusal("1e"), "column 3: expected the digits of an exponent");
  EXPECT_EQ(refusal("1e999"),
            "column 1: the number '1e999' is beyond double precision; write 0 or infinity");
  EXPECT_EQ(refusal("sum(i, h[i])"), "column 6: expected 'in' after 'i', found ','");
  EXPECT_EQ(refusal("sum(i in 0..3)"), "column 14: expected ',' after '3', found ')'");
  EXPECT_EQ(refusal("in + 1"), "column 1: expected a number, a name or '(', found 'in'");
}

TEST(Expression, RefusesDeepNestingAndLongTexts) {
  const auto nested = [](const std::string& open, const std::string& close, int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    text += "a";
    for (int i = 0; i < depth; ++i) text += close;
    return refusal(text);
  };
  for (const char* open : {"(", "-", "not ", "h["}) {
    const char* close = *open == '(' ? ")" : *open == 'h' ? "]" : "";
    EXPECT_EQ(nested(open, close, deepest_expression), "accepted") << open;
    EXPECT_NE(nested(open, close, deepest_expression + 1).find("nested deeper than 64"),
              std::string::npos)
        << open;
  }
  EXPECT_EQ(nested("(", ")", 10'000),
            "column 4097: the text is longer than 4096 bytes; split it into several assignments");
  std::string chain = "a";
  while (chain.size() + 2 <= longest_expression) chain += "+a";
  EXPECT_EQ(refusal(chain), "accepted");
}

TEST(Expression, KnowsWhatIsAName) {
  for (const char* name : {"x", "rho_new", "V2", "p_Ap"}) EXPECT_TRUE(is_name(name)) << name;
  for (const char* name : {"", "2V", "_x", "a-b", "and", "infinity", "sum"}) {
    EXPECT_FALSE(is_name(name)) << name;
  }
}

TEST(Assignment, HasATargetAValueAndARange) {
  const Assignment assignment = parse_assignment("h[i] = dot(V[i], w) for i in 0..j");
  EXPECT_EQ(to_string(assignment.target), "h[i]");
  EXPECT_EQ(to_string(assignment.value), "dot(V[i], w)");
  EXPECT_EQ(assignment.index, "i");
  EXPECT_EQ(to_string(assignment.range.at(1)), "j");
  EXPECT_EQ(assignment.text, "h[i] = dot(V[i], w) for i in 0..j");
  EXPECT_EQ(to_string(assignment), assignment.text);
  EXPECT_TRUE(parse_assignment("x = x + alpha*p").index.empty());
}

TEST(Assignment, SaysWhatIsWrongWithIt) {
  const auto refused = [](const char* text) { return refusal_of([&] { parse_assignment(text); }); };
  EXPECT_EQ(refused("3 = x"), "column 1: expected the name of what is assigned, found '3'");
  EXPECT_EQ(refused("sqrt(x) = 3"), "column 1: a function's value cannot be assigned");
  EXPECT_EQ(refused("x + 1"), "column 3: expected '=' after 'x', found '+'");
  EXPECT_EQ(refused("x == 1"), "column 3: expected '=' after 'x', found '=='");
  EXPECT_EQ(refused("x = 1 for 3 in 0..2"),
            "column 11: expected the name of an index after 'for', found '3'");
  EXPECT_EQ(refused("x = 1 for i in 0"), "column 17: expected '..' after '0', found the end");
}

TEST(Range, RisesOrFalls) {
  EXPECT_FALSE(parse_range("j in 0..m-1").falls);
  const IndexRange range = parse_range("i in j..0 falling");
  EXPECT_TRUE(range.falls);
  EXPECT_EQ(to_string(range), "i in j..0 falling");
  EXPECT_EQ(refusal_of([] { parse_range("i in 0..3 rising"); }),
            "column 11: expected an operator or the end after '3', found 'rising'");
}

}  // namespace
}  // namespace sparsecast
