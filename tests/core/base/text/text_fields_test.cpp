#include "core/base/text/text_fields.hpp"

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

TEST(Brief, IsOneShortLineOfAnyText) {
  EXPECT_EQ(brief("CG4"), "CG4");
  EXPECT_EQ(brief("a\nb\x1b[31m"), "a?b?[31m");
  EXPECT_EQ(brief(std::string(60, 'a')), std::string(60, 'a'));
  EXPECT_EQ(brief(std::string(1'000'000, 'a')), std::string(60, 'a') + "...");
  EXPECT_EQ(brief(std::string(59, 'a') + "\u00b5m"), std::string(59, 'a') + "...");
  EXPECT_EQ(in_quotes("a\tb"), "'a?b'");
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
