#include "model/number_list.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

TEST(NumberList, ReadsBackTheSameNumbers) {
  const std::vector<double> numbers{0.1, -3e-17, 12345, 1.0 / 3};
  EXPECT_EQ(parse_number_list(number_list(numbers), 4), numbers);
  EXPECT_EQ(number_list(std::vector<double>{0.5, -2}), "0.5 -2");
  EXPECT_EQ(parse_number_list("", 0), std::vector<double>{});
}

TEST(NumberList, RefusesAnythingElse) {
  for (const std::string text : {"", "1", "1 2 3", "1  2", "1 x", "1 2 ", " 1 2", "nan 1", "1,2"}) {
    EXPECT_THROW(parse_number_list(text, 2), Error) << text;
  }
}

}  // namespace
}  // namespace sparsecast
