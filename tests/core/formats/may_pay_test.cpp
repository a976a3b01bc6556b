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
  for (const Layout& layout : all_layouts()) {
    const bool usual = std::ranges::count(usual_layouts(), layout) > 0;
    EXPECT_EQ(format_of(layout).may_pay != nullptr, usual) << to_string(layout);
  }
}

TEST(MayPay, CsrAlwaysAndAloneOnScatteredEntries) {
  EXPECT_EQ(paying(random_csr<double>(4000, 4000, 4, 7)), (Names{"csr"}));
}

TEST(MayPay, DiaWhereAtMostTwiceTheNonzerosAreStored) {
  EXPECT_EQ(paying(laplacian(5, 40, 40)), (Names{"csr", "bcsr2", "dia"}));

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
