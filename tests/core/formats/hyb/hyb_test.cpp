#include "core/formats/hyb/hyb.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "core/formats/bell_garland_example.hpp"
#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

const Layout hyb{"hyb", 1, RowOrder::natural};
const Layout hyb_paper{"hyb", 1, RowOrder::natural, "paper"};

/// Rows of these lengths, from column 0 on.
CsrMatrix<double> with_lengths(const std::vector<std::int32_t>& lengths) {
  CsrMatrix<double> matrix;
  matrix.rows = std::ssize(lengths);
  matrix.columns = 4000;
  matrix.row_offsets.push_back(0);
  for (const std::int32_t length : lengths) {
    for (std::int32_t j = 0; j < length; ++j) {
      matrix.column_indices.push_back(j);
      matrix.values.push_back(static_cast<double>(matrix.values.size() + 1));
    }
    matrix.row_offsets.push_back(std::ssize(matrix.values));
  }
  return matrix;
}

HybSplit split_of(const CsrMatrix<double>& matrix) {
  return paper_split(matrix.view().pattern(), {0, matrix.rows});
}

TEST(PaperSplit, EndsWhereFewerThanAThirdOfTheRowsAreAsLong) {
  const HybSplit split = split_of(with_lengths({0, 1, 1, 2, 4, 4, 4, 7, 9}));
  EXPECT_EQ(split.width, 4);
  EXPECT_EQ(split.rest, 3 + 5);
}

TEST(PaperSplit, TakesAThirdForEnough) {
  const HybSplit third = split_of(with_lengths({1, 1, 1, 1, 1, 1, 5, 5, 5}));
  EXPECT_EQ(third.width, 5);
  EXPECT_EQ(third.rest, 0);
  const HybSplit less = split_of(with_lengths({1, 1, 1, 1, 1, 1, 1, 5, 5, 5}));
  EXPECT_EQ(less.width, 1);
  EXPECT_EQ(less.rest, 3 * 4);
}

TEST(PaperSplit, LeavesAllToCooWhereMostRowsAreEmpty) {
  const HybSplit split = split_of(with_lengths({0, 0, 0, 0, 7, 0}));
  EXPECT_EQ(split.width, 0);
  EXPECT_EQ(split.rest, 7);
  EXPECT_EQ(split_of(with_lengths({})).width, 0);
  EXPECT_EQ(split_of(with_lengths({0, 0})).width, 0);
}

TEST(PaperSplit, OfOneRowIsTheRow) {
  EXPECT_EQ(split_of(with_lengths({17})).width, 17);
}

TEST(PaperSplit, OfTheStructuredMatricesIsTheirStencil) {
  // Of the paper's section 5.1, smaller.
  const auto expect = [](int points, const CsrMatrix<double>& grid) {
    const HybSplit split = split_of(grid);
    EXPECT_EQ(split.width, points);
    EXPECT_EQ(split.rest, 0) << points;
  };
  expect(3, laplacian(3, 1000));
  expect(5, laplacian(5, 60, 60));
  expect(7, laplacian(7, 20, 20, 20));
  expect(9, laplacian(9, 60, 60));
  expect(27, laplacian(27, 20, 20, 20));
}

TEST(PaperSplit, IsThatOfASegmentsRows) {
  const CsrMatrix<double> matrix = with_lengths({1, 1, 1, 1, 1, 1, 1, 5, 5, 5});
  EXPECT_EQ(paper_split(matrix.view().pattern(), {0, 7}).width, 1);
  EXPECT_EQ(paper_split(matrix.view().pattern(), {7, 10}).width, 5);
  EXPECT_EQ(paper_split(matrix.view().pattern(), {4, 4}).rest, 0);
  EXPECT_NE(refusal_of([&] { paper_split(matrix.view().pattern(), {0, 11}); }), "accepted");
}

/// The least cost of all widths, by looking at each row for each; the widest of equals.
HybSplit split_by_brute_force(const std::vector<std::int32_t>& lengths) {
  HybSplit best;
  double least = std::numeric_limits<double>::infinity();
  const std::int32_t longest = lengths.empty() ? 0 : std::ranges::max(lengths);
  for (std::int32_t width = 0; width <= longest; ++width) {
    HybSplit split{width, 0};
    std::int64_t coo_rows = 0;
    for (const std::int32_t length : lengths) {
      split.rest += std::max(0, length - width);
      coo_rows += length > width ? 1 : 0;
    }
    const double cost = hyb_cost(std::ssize(lengths), split, coo_rows);
    if (cost > least) continue;
    least = cost;
    best = split;
  }
  return best;
}

HybSplit cheapest_of(const CsrMatrix<double>& matrix) {
  return cheapest_split(matrix.view().pattern(), {0, matrix.rows});
}

TEST(CheapestSplit, CostsTheLeastOfAllWidths) {
  std::mt19937 random(11);
  int widths_between = 0;
  const auto expect = [&](const std::vector<std::int32_t>& lengths, const char* what) {
    const HybSplit split = cheapest_of(with_lengths(lengths));
    const HybSplit expected = split_by_brute_force(lengths);
    EXPECT_EQ(split.width, expected.width) << what;
    EXPECT_EQ(split.rest, expected.rest) << what;
    widths_between += split.width > 0 && split.rest > 0 ? 1 : 0;
  };
  expect({}, "no rows");
  expect({0, 0, 0}, "no entries");
  expect({17}, "one row");
  expect({0, 1, 1, 2, 4, 4, 4, 7, 9}, "few rows");
  // The launches of COO are paid for by rows enough.
  for (const std::int32_t long_rows : {1, 100, 10'000, 60'000}) {
    for (const std::int32_t length : {3, 40, 120}) {
      std::vector<std::int32_t> lengths(100'000, 2);
      for (std::int32_t i = 0; i < long_rows; ++i) lengths[i] = length;
      expect(lengths, "two lengths");
    }
  }
  std::vector<std::int32_t> lengths(50'000);
  for (std::int32_t& length : lengths) {
    length = static_cast<std::int32_t>(random() % 8);
    if (random() % 500 == 0) length += static_cast<std::int32_t>(random() % 3000);
  }
  expect(lengths, "many lengths, few of them long");
  EXPECT_GT(widths_between, 3);
}

TEST(CheapestSplit, LeavesNoCooWhosePaddingIsCheaper) {
  // Twelve bytes for each of 30 places of 1024 rows, less than what launches cost.
  std::vector<std::int32_t> lengths(1024, 1);
  lengths[500] = 30;
  const HybSplit split = cheapest_of(with_lengths(lengths));
  EXPECT_EQ(split.width, 30);
  EXPECT_EQ(split.rest, 0);
}

TEST(CheapestSplit, OfTheStructuredMatricesIsTheirStencil) {
  const auto expect = [](int points, const CsrMatrix<double>& grid) {
    const HybSplit split = cheapest_of(grid);
    EXPECT_EQ(split.width, points);
    EXPECT_EQ(split.rest, 0) << points;
  };
  expect(3, laplacian(3, 1'000'000));
  expect(5, laplacian(5, 1000, 1000));
  expect(7, laplacian(7, 100, 100, 100));
  expect(9, laplacian(9, 1000, 1000));
  expect(27, laplacian(27, 60, 60, 60));
}

TEST(CheapestSplit, IsThatOfASegmentsRows) {
  const CsrMatrix<double> matrix = with_lengths({1, 1, 1, 5, 5, 0});
  EXPECT_EQ(cheapest_split(matrix.view().pattern(), {0, 3}).width, 1);
  EXPECT_EQ(cheapest_split(matrix.view().pattern(), {3, 5}).width, 5);
  EXPECT_EQ(cheapest_split(matrix.view().pattern(), {5, 5}).rest, 0);
  EXPECT_NE(refusal_of([&] { cheapest_split(matrix.view().pattern(), {0, 7}); }), "accepted");
}

TEST(ConvertToHyb, StoresEveryEntryOfTheExampleOnce) {
  const CsrMatrix<double> matrix = bell_garland_example();
  const HybSplit split = split_of(matrix);
  EXPECT_EQ(split.width, 2);
  EXPECT_EQ(split.rest, 1);
  const HybMatrix<double> stored = convert_to_hyb(matrix.view(), {0, 4}, split.width);
  const std::int64_t stride = stored.ell.stride;
  const double first[] = {1, 2, 5, 6};
  const double second[] = {7, 8, 3, 4};
  for (std::int64_t row = 0; row < 4; ++row) {
    EXPECT_EQ(stored.ell.values[row], first[row]);
    EXPECT_EQ(stored.ell.values[stride + row], second[row]);
  }
  EXPECT_EQ(stored.coo.values, (Buffer<double>{9}));
  EXPECT_EQ(stored.coo.row_indices, (Buffer<std::int32_t>{2}));
  EXPECT_EQ(stored.coo.column_indices, (Buffer<std::int32_t>{3}));
}

TEST(ConvertToHyb, LosesNothing) {
  const CsrMatrix<double> matrix = random_csr<double>(500, 400, 6, 3);
  const Segment segment{96, 480};
  const HybSplit split = paper_split(matrix.view().pattern(), segment);
  const HybMatrix<double> stored = convert_to_hyb(matrix.view(), segment, split.width);
  EXPECT_GT(split.rest, 0);
  EXPECT_EQ(std::ssize(stored.coo.values), split.rest);
  const auto in_ell = std::ssize(stored.ell.values) - std::ranges::count(stored.ell.values, 0.0);
  EXPECT_EQ(in_ell + split.rest, segment.nonzeros(matrix.view().row_offsets));
}

TEST(Hyb, HasBothPartsInItsShape) {
  PatternNumbers numbers;
  numbers.rows = 100;
  numbers.columns = 90;
  numbers.nonzeros = 330;
  EXPECT_EQ(
      refusal_of([&] { format_of(hyb_paper).shape(numbers, hyb_paper); }),
      "layout hyb-paper: the width by the paper's rule is not known from numbers; give the matrix "
      "itself");
  numbers.counts = {{"width by the paper's rule", 2},
                    {"rest by the paper's rule", 50},
                    {"width by cost", 3},
                    {"rest by cost", 40}};
  EXPECT_EQ(format_of(hyb).shape(numbers, hyb_paper).elements, 2 * 128 + 50);
  const SegmentShape shape = format_of(hyb).shape(numbers, hyb);
  EXPECT_EQ(shape.elements, 3 * 128 + 40);
  EXPECT_EQ(shape.blocks, 3 * 128 + 40);
  EXPECT_EQ(shape.block_rows, 100);
  EXPECT_DOUBLE_EQ(shape.index_bytes * shape.blocks, 3 * 128 * 4 + 40 * 8);
  EXPECT_EQ(shape.offset_bytes, 0);
}

TEST(Hyb, IsSharedByWhatEachRowStores) {
  const CsrMatrix<double> matrix = with_lengths({1, 1, 5, 0});  // a column of ELL
  const Buffer<std::int64_t> weights =
      format_of(hyb_paper).weights(matrix.view().pattern(), hyb_paper);
  EXPECT_EQ(weights, (Buffer<std::int64_t>{0, 1, 2, 7, 8}));
  // So few rows are ELL.
  EXPECT_EQ(format_of(hyb).weights(matrix.view().pattern(), hyb),
            (Buffer<std::int64_t>{0, 5, 10, 15, 20}));
}

TEST(Hyb, TellsItsSplitFromItsShape) {
  for (const std::int64_t rows : {0, 1, 31, 1000, 3'000'017}) {
    for (const HybSplit& split : {HybSplit{7, 0}, HybSplit{0, 12345}, HybSplit{31, 98'765'431}}) {
      const HybSplit found =
          hyb_split(hyb_shape(static_cast<double>(rows), 100, static_cast<double>(split.width),
                              static_cast<double>(split.rest)));
      EXPECT_EQ(found.width, rows == 0 ? 0 : split.width);
      EXPECT_EQ(found.rest, split.rest);
    }
  }
}

TEST(Hyb, IsNamedAfterItsRule) {
  EXPECT_EQ(to_string(hyb), "hyb");
  EXPECT_EQ(parse_layout("hyb"), hyb);
  EXPECT_EQ(to_string(hyb_paper), "hyb-paper");
  EXPECT_EQ(parse_layout("hyb-paper"), hyb_paper);
  EXPECT_EQ(std::ranges::count(usual_layouts(), hyb), 0);
  EXPECT_EQ(std::ranges::count(usual_layouts(), hyb_paper), 0);
}

TEST(Hyb, HasTheSplitOfTheLayoutWithin) {
  const CsrMatrix<double> matrix = with_lengths({1, 1, 1, 1, 1, 1, 1, 5, 5, 5});
  const PatternView pattern = matrix.view().pattern();
  EXPECT_EQ(hyb_split(pattern, {0, 10}, hyb).width, 5);
  EXPECT_EQ(hyb_split(pattern, {0, 10}, hyb_paper).width, 1);
  EXPECT_EQ(hyb_split(pattern, {0, 10}, parse_layout("uncached-hyb-paper")).width, 1);
}

}  // namespace
}  // namespace sparsecast
