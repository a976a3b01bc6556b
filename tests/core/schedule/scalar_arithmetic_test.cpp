#include "core/schedule/scalar_arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sparsecast {
namespace {

using enum ScalarOperation;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Of an operation whose target was 7.
double result(ScalarOperation operation, double a, double b = 12345, double c = 54321) {
  return scalar_result<double>(operation, 7, a, b, c);
}

TEST(ScalarArithmetic, CalculatesWithOneOperand) {
  EXPECT_EQ(result(copy, -3), -3);
  EXPECT_EQ(result(square_root, 2.25), 1.5);
  EXPECT_EQ(result(negate, 3), -3);
  EXPECT_EQ(result(absolute, -3), 3);
  EXPECT_EQ(result(absolute, 4), 4);
  EXPECT_EQ(result(ScalarOperation::floor, -2.5), -3);
  EXPECT_EQ(result(ScalarOperation::floor, 2.5), 2);
  EXPECT_EQ(result(logical_not, 0), 1);
  EXPECT_EQ(result(logical_not, -0.5), 0);
}

TEST(ScalarArithmetic, CalculatesWithTwoOperands) {
  EXPECT_EQ(result(add, 3, 5), 8);
  EXPECT_EQ(result(subtract, 3, 5), -2);
  EXPECT_EQ(result(multiply, 3, 5), 15);
  EXPECT_EQ(result(divide, 3, 5), 0.6);
  EXPECT_EQ(result(minimum, 3, 5), 3);
  EXPECT_EQ(result(minimum, 5, 3), 3);
  EXPECT_EQ(result(maximum, 3, 5), 5);
  EXPECT_EQ(result(maximum, 5, 3), 5);
  EXPECT_EQ(result(count_unless_smaller, 3, 5), 0);
  EXPECT_EQ(result(count_unless_smaller, 5, 5), 8);
  EXPECT_EQ(result(ScalarOperation::hypot, 3, -4), 5);
  EXPECT_DOUBLE_EQ(result(ScalarOperation::hypot, 3e200, 4e200), 5e200);
}

TEST(ScalarArithmetic, ComparesAndSelects) {
  EXPECT_EQ(result(less, 3, 5), 1);
  EXPECT_EQ(result(less, 5, 5), 0);
  EXPECT_EQ(result(less, 6, 5), 0);
  EXPECT_EQ(result(less_equal, 3, 5), 1);
  EXPECT_EQ(result(less_equal, 5, 5), 1);
  EXPECT_EQ(result(less_equal, 6, 5), 0);
  EXPECT_EQ(result(equal, 5, 5), 1);
  EXPECT_EQ(result(equal, 5, 6), 0);
  EXPECT_EQ(result(equal, infinity, infinity), 1);
  EXPECT_EQ(result(select, 0, 3, 5), 5);
  EXPECT_EQ(result(select, -1, 3, 5), 3);
}

TEST(ScalarArithmetic, NoComparisonWithNanHolds) {
  for (const ScalarOperation operation : {less, less_equal, equal}) {
    EXPECT_EQ(result(operation, nan, 1), 0);
    EXPECT_EQ(result(operation, 1, nan), 0);
    EXPECT_EQ(result(operation, nan, nan), 0);
  }
  EXPECT_EQ(result(logical_not, nan), 0);
  EXPECT_EQ(result(select, nan, 3, 5), 3);
  EXPECT_EQ(result(count_unless_smaller, nan, 1), 8);
}

TEST(ScalarArithmetic, ArithmeticWithNanGivesNanAndExtremesTheSecondOperand) {
  for (const ScalarOperation operation :
       {add, subtract, multiply, divide, ScalarOperation::hypot}) {
    EXPECT_TRUE(std::isnan(result(operation, nan, 1)));
    EXPECT_TRUE(std::isnan(result(operation, 1, nan)));
  }
  for (const ScalarOperation operation :
       {copy, square_root, negate, absolute, ScalarOperation::floor}) {
    EXPECT_TRUE(std::isnan(result(operation, nan)));
  }
  for (const ScalarOperation operation : {minimum, maximum}) {
    EXPECT_EQ(result(operation, nan, 1), 1);
    EXPECT_TRUE(std::isnan(result(operation, 1, nan)));
  }
}

TEST(ScalarArithmetic, CountsTheOperandsOfItsOperations) {
  for (const ScalarOperation one :
       {copy, square_root, negate, absolute, ScalarOperation::floor, logical_not}) {
    EXPECT_EQ(operand_count(one), 1);
  }
  for (const ScalarOperation two : {divide, minimum, count_unless_smaller, add, subtract, multiply,
                                    maximum, ScalarOperation::hypot, less, less_equal, equal}) {
    EXPECT_EQ(operand_count(two), 2);
  }
  EXPECT_EQ(operand_count(select), 3);
}

TEST(ScalarArithmetic, CalculatesInSinglePrecisionToo) {
  EXPECT_EQ(scalar_result<float>(divide, 0, 1, 3, 0), 1.0f / 3.0f);
  EXPECT_EQ(scalar_result<float>(square_root, 0, 2, 0, 0), std::sqrt(2.0f));
}

}  // namespace
}  // namespace sparsecast
