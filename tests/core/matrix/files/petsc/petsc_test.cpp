#include "core/matrix/files/petsc/petsc.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/matrix/files/golden_files.hpp"

namespace sparsecast {
namespace {

std::string big_endian(const std::vector<std::int64_t>& numbers, int bytes) {
  std::string text;
  for (const std::int64_t number : numbers) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      text += static_cast<char>(number >> shift);
    }
  }
  return text;
}

const std::string one = std::string("\x3f\xf0\0\0\0\0\0\0", 8);

/// One row of two columns and two values, with the header given.
std::string file(const std::vector<std::int64_t>& numbers) {
  return big_endian(numbers, 4) + one + one;
}

TEST(Petsc, ReadsWhatTheTestsWrite) {
  const auto read = parse_bytes(file({1211216, 1, 2, 2, 2, 0, 1}));
  EXPECT_EQ(read.matrix.values, (Buffer<double>{1, 1}));
}

TEST(Petsc, TakesACountThatDoesNotFitIntoTheHeader) {
  constexpr std::int64_t unknown = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(parse_bytes(file({1211216, 1, 2, unknown, 2, 0, 1})).matrix.nonzeros(), 2);
}

TEST(Petsc, RefusesOtherObjects) {
  EXPECT_EQ(refusal_of_bytes(golden("vector.petsc")),
            "m: at byte 0: this is a vector (Vec) of PETSc; expected a matrix (Mat) first in the "
            "file");
  EXPECT_EQ(refusal_of_bytes(file({1211216, 1, 2, -1, 2, 0, 1})),
            "m: at byte 12: the matrix is dense; expected a sparse one (type aij)");
}

TEST(Petsc, RefusesTheOtherByteOrderAndComplexValues) {
  EXPECT_EQ(refusal_of_bytes(golden("little_endian.petsc")),
            "m: at byte 0: the class of the object is not in big-endian order; expected PETSc's "
            "binary format");
  EXPECT_TRUE(refusal_of_bytes(golden("complex.petsc"))
                  .ends_with("complex values are not supported; expected real ones of 8 bytes"));
}

TEST(Petsc, ComparesItsCountsWithTheFileBeforeMemoryIsTaken) {
  EXPECT_TRUE(refusal_of_bytes(file({1211216, 2147483647, 2, 2, 2, 0, 1}))
                  .starts_with("m: at byte 4: 2147483647 rows, but the file has 44 bytes"));
  EXPECT_TRUE(refusal_of_bytes(file({1211216, 1, 2, 3, 2, 0, 1}))
                  .starts_with("m: at byte 12: 3 nonzeros, but the rows have 2"));
  EXPECT_TRUE(refusal_of_bytes(file({1211216, 1, 2, 2147483646, 2147483646, 0, 1}))
                  .starts_with("m: at byte 16: row 1 has 2147483646 entries"));
  EXPECT_TRUE(refusal_of_bytes(file({1211216, 1, 2, 2, -2, 0, 1}))
                  .starts_with("m: at byte 16: row 1 has -2 entries"));
  EXPECT_TRUE(refusal_of_bytes(file({1211216, -1, 2, 2, 2, 0, 1}))
                  .starts_with("m: at byte 4: a size is negative: -1"));
  EXPECT_TRUE(refusal_of_bytes(file({1211216, 1, 2147483647, 2, 2, 0, 1}))
                  .starts_with("m: at byte 4: 2147483647 columns for 2 entries"));
  const std::string wide = big_endian({1211216, 1, 2, 1LL << 62, 1LL << 62, 0, 1}, 8) + one + one;
  EXPECT_TRUE(refusal_of_bytes(wide).starts_with("m: at byte 32: row 1 has 4611686018427387904"));
}

TEST(Petsc, NamesNumbersThatDoNotFit) {
  EXPECT_EQ(refusal_of_bytes(file({1211216, 1, 2, 2, 2, 0, 2})),
            "m: at byte 20: columns: number 1 (from 0) is 2; expected 0 to 1");
  std::string not_a_number = file({1211216, 1, 2, 2, 2, 0, 1});
  not_a_number.replace(not_a_number.size() - 8, 2, "\x7f\xf8");
  EXPECT_EQ(refusal_of_bytes(not_a_number),
            "m: at byte 28: values: number 1 (from 0) is nan; expected a finite number");
}

TEST(Petsc, SaysWhatFollowsThatIsNoObject) {
  EXPECT_TRUE(refusal_of_bytes(file({1211216, 1, 2, 2, 2, 0, 1}) + "more than the end")
                  .starts_with("m: at byte 44: what follows the values is no object of PETSc"));
}

}  // namespace
}  // namespace sparsecast
