#include "core/matrix/files/harwell_boeing/fortran_format.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/refusal.hpp"

namespace sparsecast {
namespace {

TEST(FortranFormat, IsReadAsHeadersWriteIt) {
  struct Case {
    const char* text;
    std::int64_t per_line;
    std::size_t width;
    int digits;
    int scale;
  };
  for (const Case& each : {Case{"(16I5)", 16, 5, 0, 0}, Case{" ( 10 I 8 ) ", 10, 8, 0, 0},
                           Case{"(4E20.12)", 4, 20, 12, 0}, Case{"(1P,4D20.12)", 4, 20, 12, 1},
                           Case{"(1P4E20.12E3)", 4, 20, 12, 1}, Case{"(3(1PE26.18))", 3, 26, 18, 1},
                           Case{"(f7.2)", 1, 7, 2, 0}, Case{"(-2P,2G10.3)", 2, 10, 3, -2}}) {
    const FortranFormat format = parse_fortran_format(each.text);
    EXPECT_EQ(format.per_line, each.per_line) << each.text;
    EXPECT_EQ(format.width, each.width) << each.text;
    EXPECT_EQ(format.digits, each.digits) << each.text;
    EXPECT_EQ(format.scale, each.scale) << each.text;
  }
}

TEST(FortranFormat, IsRefusedWhereItIsNone) {
  for (const char* text : {"", "16I5", "(16I5", "(16X5)", "(I)", "(0I5)", "(16I5)x", "(9999I5)",
                           "(500I500)", "((((((((I5))))))))", "(E12.)", "(I5,E12.4)"}) {
    EXPECT_TRUE(refusal_of([&] { parse_fortran_format(text); }).ends_with("(16I5) or (4E20.12)"))
        << text;
  }
}

TEST(FortranFormat, ReadsNumbersAsFortranDoes) {
  const auto read = [](const char* field, const char* format) {
    double value = 0;
    std::string error;
    EXPECT_TRUE(read_fortran_real(field, parse_fortran_format(format), value, error)) << error;
    return value;
  };
  EXPECT_EQ(read(" 1.5E+01", "(E8.1)"), 15);
  EXPECT_EQ(read("-1.5D-01", "(E8.1)"), -0.15);
  EXPECT_EQ(read("1.5-101", "(E8.1)"), 1.5e-101);
  EXPECT_EQ(read("   12345", "(F8.2)"), 123.45);
  EXPECT_EQ(read("   123.5", "(1P,F8.2)"), 12.35);
  EXPECT_EQ(read(" 1.235E2", "(1P,E8.2)"), 123.5);
}

}  // namespace
}  // namespace sparsecast
