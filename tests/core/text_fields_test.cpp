#include "core/text_fields.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast {
namespace {

TEST(NumberText, IsTheShortestThatReadsBackAsTheSameNumber) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-3), "-3");
  EXPECT_EQ(number_text(1e300), "1e+300");
  for (const double number : {1.0 / 3, 0x1p53 + 2, -std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::denorm_min()}) {
    EXPECT_EQ(std::strtod(number_text(number).c_str(), nullptr), number);
  }
}

TEST(TakeUntil, TakesFieldAfterField) {
  std::string_view rest = "a;;bc";
  EXPECT_EQ(take_until(rest, ';'), "a");
  EXPECT_EQ(rest, ";bc");
  EXPECT_EQ(take_until(rest, ';'), "");
  EXPECT_EQ(take_until(rest, ';'), "bc");
  EXPECT_EQ(rest, "");
  EXPECT_EQ(take_until(rest, ';'), "");
}

TEST(TakeUntil, DropsASeparatorAtTheEnd) {
  std::string_view rest = "a;";
  EXPECT_EQ(take_until(rest, ';'), "a");
  EXPECT_EQ(rest, "");
}

}  // namespace
}  // namespace sparsecast
