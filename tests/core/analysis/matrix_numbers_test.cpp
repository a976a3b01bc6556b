#include "core/analysis/matrix_numbers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "core/analysis/features.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// As the definitions say, an entry at a time.
RowNumbers by_definition(const CsrMatrix<double>& matrix) {
  const auto columns_of = [&](std::int64_t row) {
    std::set<std::int64_t> columns;
    for (auto k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      columns.insert(matrix.column_indices[k]);
    }
    return columns;
  };
  double distances = 0;
  double neighbours = 0;
  double similarities = 0;
  double filled = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto columns = columns_of(row);
    if (columns.empty()) continue;
    ++filled;
    std::set<std::int64_t> below;
    for (auto next = row + 1; next < matrix.rows && below.empty(); ++next) below = columns_of(next);
    double similar = 0;
    for (const auto column : columns) {
      distances += static_cast<double>(std::abs(column - row));
      neighbours += static_cast<double>(columns.count(column - 1) + columns.count(column + 1));
      similar += below.count(column - 1) + below.count(column) + below.count(column + 1) > 0;
    }
    similarities += similar / static_cast<double>(columns.size());
  }
  const auto entries = static_cast<double>(matrix.nonzeros());
  RowNumbers numbers;
  numbers.mean_distance = distances / entries;
  numbers.neighbours = neighbours / entries;
  numbers.similarity = similarities / filled;
  return numbers;
}

TEST(RowNumbersOfAMatrix, AreThoseOfTheirDefinitions) {
  const CsrMatrix<double> random = random_matrix({.rows = 2000,
                                                  .mean_row_length = 9,
                                                  .stddev_row_length = 4,
                                                  .bandwidth_fraction = 0.2,
                                                  .row_similarity = 0.5,
                                                  .mean_run_length = 2});
  for (const CsrMatrix<double>& matrix :
       {laplacian(3, 100), laplacian(7, 8, 9, 10), power_law(3000, 8, 2.2, 1), random}) {
    const RowNumbers expected = by_definition(matrix);
    const MatrixFeatures features = compute_features<double>(matrix);
    for (const int threads : {1, 3}) {
      const RowNumbers found = count_row_numbers(matrix.view().pattern(), threads);
      EXPECT_DOUBLE_EQ(found.deviation, features.row_length.stddev);
      EXPECT_EQ(found.longest, static_cast<double>(features.row_length.max));
      EXPECT_DOUBLE_EQ(*found.mean_distance, *expected.mean_distance);
      EXPECT_DOUBLE_EQ(*found.neighbours, *expected.neighbours);
      EXPECT_NEAR(*found.similarity, *expected.similarity, 1e-9);
    }
  }
}

TEST(RowNumbersOfAMatrix, SkipRowsWithoutEntries) {
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = 4;
  matrix.row_offsets = {0, 2, 2, 3, 3};
  matrix.column_indices = {0, 2, 1};
  matrix.values = {1, 1, 1};
  const RowNumbers numbers = count_row_numbers(matrix.view().pattern());
  EXPECT_DOUBLE_EQ(*numbers.mean_distance, 1);
  EXPECT_EQ(*numbers.neighbours, 0);
  EXPECT_DOUBLE_EQ(*numbers.similarity, 0.5);  // both of the first, none of the last
}

TEST(RowNumbersOfAMatrix, OfNoEntriesAreZero) {
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = 3;
  matrix.row_offsets = {0, 0, 0, 0};
  const RowNumbers numbers = count_row_numbers(matrix.view().pattern());
  EXPECT_EQ(numbers.mean_distance, 0);
  EXPECT_EQ(numbers.similarity, 0);
}

TEST(RowNumbers, SayWhichOfThemNoMatrixHas) {
  const auto refusal = [](const RowNumbers& numbers) {
    return refusal_of([&] { check_row_numbers(numbers, 100, 500); });
  };
  EXPECT_EQ(refusal({3, 9, 99, 2, 1}), "accepted");
  EXPECT_EQ(refusal({101, 0, {}, {}, {}}),
            "a row deviation must lie from 0 to the number of unknowns");
  EXPECT_EQ(refusal({0, 4, {}, {}, {}}),
            "a longest row must have from 5 entries, the mean, to the number of unknowns");
  EXPECT_EQ(refusal({0, 0, 99.5, {}, {}}),
            "a mean distance from the diagonal must lie from 0 to the number of unknowns less 1");
  EXPECT_EQ(refusal({0, 0, {}, 2.5, {}}), "neighbours of an entry in its row must lie from 0 to 2");
  EXPECT_EQ(refusal({0, 0, {}, {}, -0.5}),
            "a similarity of neighbouring rows must lie from 0 to 1");
}

TEST(RowNumbers, SayHowMuchIsKnown) {
  EXPECT_EQ(known_numbers({}), KnownNumbers::sizes);
  EXPECT_EQ(known_numbers({0, 0, 9, 1, 1}), KnownNumbers::sizes);
  EXPECT_EQ(known_numbers({2, 0, 9, {}, {}}), KnownNumbers::row_lengths);
  EXPECT_EQ(known_numbers({0, 9, 9, 1, {}}), KnownNumbers::columns);
}

}  // namespace
}  // namespace sparsecast
