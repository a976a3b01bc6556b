#include "core/matrix/files/matlab/matlab.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/matrix/files/golden_files.hpp"

namespace sparsecast {
namespace {

TEST(Matlab, TakesLogicalValuesAsOnes) {
  const auto logical = read_matrix_file(golden_folder() / "logical.mat");
  const auto pattern = read_matrix_file(golden_folder() / "pattern.mtx");
  EXPECT_TRUE(same_bytes(logical.matrix, pattern.matrix));
}

TEST(Matlab, SaysHowToSaveOtherLevels) {
  EXPECT_EQ(refusal_of_bytes(golden("level4.mat")),
            "m: this is a MATLAB file of level 4; expected level 5: save it with save('NAME.mat', "
            "'A', '-v7'), or scipy.io.savemat");
  EXPECT_EQ(refusal_of_bytes(golden("level73.mat")),
            "m: this is an HDF5 file (MATLAB 7.3); expected level 5: save it with save('NAME.mat', "
            "'A', '-v7'), or scipy.io.savemat");
  EXPECT_TRUE(refusal_of_bytes("\x89HDF\r\n\x1a\n and so on").starts_with("m: this is an HDF5"));
}

TEST(Matlab, ListsSeveralMatrices) {
  EXPECT_EQ(refusal_of_bytes(golden("two.mat")),
            "m: the MATLAB file has several sparse matrices: A, B; expected one (save the one that "
            "is meant by itself)");
}

TEST(Matlab, RefusesDenseAndComplexMatrices) {
  EXPECT_TRUE(refusal_of_bytes(golden("dense.mat"))
                  .starts_with("m: the MATLAB file has no sparse variable"));
  EXPECT_EQ(refusal_of_bytes(golden("complex.mat")),
            "m: variable A: complex values are not supported; expected a real matrix");
}

TEST(Matlab, RefusesElementsThatAreLargerThanTheFile) {
  std::string bytes = golden("plain.mat");
  bytes.replace(132, 4, "\xf8\xff\xff\x7f");
  EXPECT_TRUE(
      refusal_of_bytes(bytes).starts_with("m: at byte 128: a variable takes 2147483640 "
                                          "bytes, but "))
      << refusal_of_bytes(bytes);
}

}  // namespace
}  // namespace sparsecast
