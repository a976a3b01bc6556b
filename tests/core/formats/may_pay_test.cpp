#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/analysis/features.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

/// The names of the layouts that may pay for a matrix.
std::vector<std::string> paying(const CsrMatrix<double>& matrix) {
  const MatrixFeatures features = compute_features(matrix.view());
  std::vector<std::string> names;
  for (const Layout& layout : all_layouts()) {
    if (may_pay(features.numbers(layout.format), layout)) {
      names.push_back(to_string(layout));
    }
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(MayPay, IsAskedOfUsualLayoutsAlone) {
  for (const Format* format : formats()) {
    const std::vector<Layout> usual = usual_layouts_of(*format);
    EXPECT_EQ(format->may_pay != nullptr, !usual.empty()) << format->name;
    for (const Layout& layout : usual) {
      EXPECT_EQ(layout.format, format->name);
      EXPECT_EQ(std::ranges::count(usual_layouts(), layout), 1);
    }
  }
}

TEST(MayPay, CsrAlwaysAndAloneOnScatteredEntries) {
  // A long row in 64, so that no order of them makes slices even.
  CsrMatrix<double> matrix;
  matrix.rows = 320;
  matrix.columns = 4000;
  matrix.row_offsets.push_back(0);
  for (std::int32_t row = 0; row < 320; ++row) {
    for (std::int32_t k = 0; k < (row % 64 == 0 ? 300 : 1); ++k) {
      matrix.column_indices.push_back((row * 37 % 1000) + 7 * k);
      matrix.values.push_back(1);
    }
    matrix.row_offsets.push_back(std::ssize(matrix.column_indices));
  }
  EXPECT_EQ(paying(matrix), (Names{"csr"}));
}

TEST(MayPay, SlicesOfEvenRows) {
  const Names grid = paying(laplacian(7, 20, 20, 20));
  for (const char* name : {"sell32", "sell128", "sell32-sorted512"}) {
    EXPECT_EQ(std::ranges::count(grid, name), 1) << name;
  }
  EXPECT_EQ(std::ranges::count(grid, "sell8"), 0) << "nobody asked for it";
  // Rows of 1 to 2 k entries: sorted they are even.
  const Names uneven = paying(random_csr<double>(8192, 3000, 9, 11));
  EXPECT_EQ(uneven, (Names{"csr", "sell32-sorted512"}));
}

TEST(MayPay, DiaWhereAtMostTwiceTheNonzerosAreStored) {
  EXPECT_EQ(paying(laplacian(5, 40, 40)),
            (Names{"csr", "bcsr2", "dia", "sell32", "sell32-sorted512", "sell128"}));

  PatternNumbers numbers;
  numbers.rows = numbers.columns = 1000;
  numbers.nonzeros = 3500;
  numbers.counts["diagonals"] = 7;
  const Layout dia{"dia", 1, RowOrder::natural};
  EXPECT_TRUE(format_of(dia).may_pay(numbers, dia));
  numbers.nonzeros = 3499;
  EXPECT_FALSE(format_of(dia).may_pay(numbers, dia));
  numbers.counts.clear();
  EXPECT_FALSE(format_of(dia).may_pay(numbers, dia)) << "diagonals that nobody counted";
}

TEST(MayPay, BlocksThatAreAtLeastHalfFullInNaturalOrder) {
  PatternNumbers numbers;
  numbers.rows = numbers.columns = 900;
  numbers.nonzeros = 4500;
  numbers.blocks[2] = 1000;  // 3 x 3: 9000 elements
  const Layout natural = block_layout(3);
  Layout sorted = natural;
  sorted.row_order = RowOrder::sorted;
  EXPECT_TRUE(format_of(natural).may_pay(numbers, natural));
  EXPECT_FALSE(format_of(sorted).may_pay(numbers, sorted));
  numbers.nonzeros = 4499;
  EXPECT_FALSE(format_of(natural).may_pay(numbers, natural));
}

}  // namespace
}  // namespace sparsecast
