#include "core/matrix/csr.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/narrow_offsets.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

/// A caller's own arrays: 4 x 5 with an empty row.
struct OwnArrays {
  std::vector<std::int64_t> row_offsets = {0, 2, 2, 5, 6};
  std::vector<std::int32_t> column_indices = {0, 4, 1, 2, 3, 0};
  std::vector<double> values = {1, 2, 3, 4, 5, 6};

  CsrView<double> view() const { return {4, 5, row_offsets, column_indices, values}; }
};

std::string error_of(const OwnArrays& arrays) {
  try {
    check_csr(arrays.view());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(CsrCheck, AcceptsRisingColumnsAndEmptyRows) {
  EXPECT_EQ(error_of(OwnArrays{}), "no error");
}

TEST(CsrCheck, AcceptsAMatrixWithoutRows) {
  const std::vector<std::int64_t> row_offsets = {0};
  EXPECT_NO_THROW(check_csr(CsrView<float>{0, 0, row_offsets, {}, {}}));
}

TEST(CsrCheck, RefusesMissingOffsets) {
  OwnArrays arrays;
  arrays.row_offsets.pop_back();
  EXPECT_EQ(error_of(arrays), "CSR matrix: 4 row offsets; expected rows + 1 = 5");
}

TEST(CsrCheck, RefusesMissingValues) {
  OwnArrays arrays;
  arrays.values.pop_back();
  EXPECT_EQ(error_of(arrays),
            "CSR matrix: 5 values; expected one for each of the 6 column indices");
}

TEST(CsrCheck, RefusesOffsetsThatFall) {
  OwnArrays arrays;
  arrays.row_offsets = {0, 4, 2, 5, 6};
  EXPECT_TRUE(error_of(arrays).starts_with("CSR matrix: row 1: offsets 4 and 2"))
      << error_of(arrays);
}

TEST(CsrCheck, RefusesOffsetsBeyondTheNonzeros) {
  OwnArrays arrays;
  arrays.row_offsets = {0, 1'000'000'000'000, 1, 5, 6};
  EXPECT_TRUE(error_of(arrays).starts_with("CSR matrix: row 0: offsets 0 and 1000000000000"))
      << error_of(arrays);
}

TEST(CsrCheck, RefusesColumnsOutsideTheMatrix) {
  for (const std::int32_t column : {5, -1}) {
    OwnArrays arrays;
    arrays.column_indices[5] = column;
    EXPECT_TRUE(error_of(arrays).starts_with("CSR matrix: row 3: column index " +
                                             std::to_string(column) + " lies outside"))
        << error_of(arrays);
  }
}

TEST(CsrCheck, NamesTheFirstRowWhoseColumnsDoNotRise) {
  OwnArrays arrays;
  arrays.column_indices = {0, 4, 1, 1, 0, 9};
  EXPECT_TRUE(error_of(arrays).starts_with("CSR matrix: row 2: column index 1 follows 1"))
      << error_of(arrays);
}

TEST(CsrCheck, NamesTheSameRowsOfOffsetsOf32Bits) {
  const OwnArrays arrays;
  const auto error_of_offsets = [&](const std::vector<std::int32_t>& row_offsets) {
    try {
      check_csr(CsrView<double>{4, 5, row_offsets, arrays.column_indices, arrays.values});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error_of_offsets({0, 2, 2, 5, 6}), "no error");
  EXPECT_EQ(error_of_offsets({0, 2, 2, 5}), "CSR matrix: 4 row offsets; expected rows + 1 = 5");
  EXPECT_TRUE(error_of_offsets({0, 4, 2, 5, 6}).starts_with("CSR matrix: row 1: offsets 4 and 2"));
  EXPECT_TRUE(error_of_offsets({0, 2, -2147483647, 5, 6})
                  .starts_with("CSR matrix: row 1: offsets 2 and -2147483647"));
}

TEST(CsrConversion, TakesOffsetsOf32Bits) {
  const CsrMatrix<double> matrix = random_csr<double>(70, 90, 5, 8);
  const NarrowOffsets<double> narrow(matrix);
  const CsrMatrix<double> copy = convert_values<double>(narrow.view());
  EXPECT_EQ(copy.row_offsets, matrix.row_offsets);
  EXPECT_EQ(copy.column_indices, matrix.column_indices);
  EXPECT_EQ(copy.values, matrix.values);
}

TEST(CsrConversion, KeepsThePatternAndRoundsTheValues) {
  OwnArrays arrays;
  std::mt19937 random(7);
  for (double& value : arrays.values) value = std::uniform_real_distribution<>(1, 2)(random);

  const CsrMatrix<float> single = convert_values<float>(arrays.view());
  const CsrMatrix<double> back = convert_values<double>(single.view());

  check_csr(single.view());
  EXPECT_EQ(single.rows, 4);
  EXPECT_EQ(single.columns, 5);
  for (std::size_t k = 0; k < arrays.values.size(); ++k) {
    EXPECT_EQ(single.values[k], static_cast<float>(arrays.values[k]));
    EXPECT_EQ(back.values[k], static_cast<double>(single.values[k]));
    EXPECT_EQ(back.column_indices[k], arrays.column_indices[k]);
  }
}

}  // namespace
}  // namespace sparsecast
