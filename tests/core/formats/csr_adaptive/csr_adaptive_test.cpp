#include "core/formats/csr_adaptive/csr_adaptive.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

/// A matrix of rows of these lengths, whose columns are the first ones.
CsrMatrix<double> matrix_of_lengths(const std::vector<std::int64_t>& lengths,
                                    std::int64_t columns = 6000) {
  CsrMatrix<double> matrix;
  matrix.rows = std::ssize(lengths);
  matrix.columns = columns;
  matrix.row_offsets.push_back(0);
  for (const std::int64_t length : lengths) {
    for (std::int64_t k = 0; k < length; ++k) {
      matrix.column_indices.push_back(static_cast<std::int32_t>(k));
      matrix.values.push_back(1 + static_cast<double>(matrix.values.size()));
    }
    matrix.row_offsets.push_back(std::ssize(matrix.column_indices));
  }
  return matrix;
}

template <class T>
std::int64_t stored_column(const AdaptiveMatrix<T>& a, const RowBlock& block, int k) {
  std::int64_t difference = 0;
  for (int byte = 0; byte < block.column_bytes; ++byte) {
    const std::int64_t place =
        std::int64_t{block.first_column_unit} * column_unit_bytes + k * block.column_bytes + byte;
    difference |= std::int64_t{a.column_bytes[place]} << (8 * byte);
  }
  return a.first_row + block.base + difference;
}

template <class T>
void expect_nothing_lost(const CsrMatrix<T>& matrix, const Segment& segment) {
  const AdaptiveMatrix<T> a = convert_to_adaptive(matrix.view(), segment);
  CsrMatrix<T> back;
  back.row_offsets.push_back(0);
  std::int64_t next_row = 0;
  for (const RowBlock& block : a.blocks) {
    EXPECT_EQ(block.first_row, next_row);
    EXPECT_LE(block.lead() + block.entries, row_block_capacity);
    EXPECT_LE(block.rows, most_rows_of_row_block);
    EXPECT_EQ(block.first_entry, std::ssize(back.values));
    for (int k = block.lead(); k < block.lead() + block.entries; ++k) {
      back.column_indices.push_back(static_cast<std::int32_t>(stored_column(a, block, k)));
      back.values.push_back(a.values[block.first_entry - block.lead() + k]);
    }
    if (block.is_piece()) {
      EXPECT_EQ(block.rows, 1);
      EXPECT_EQ(a.row_ends[block.first_row], 0);
      if (block.more_pieces) continue;
      back.row_offsets.push_back(std::ssize(back.values));
    } else {
      for (std::int64_t row = next_row; row < next_row + block.rows; ++row) {
        back.row_offsets.push_back(block.first_entry - block.lead() + a.row_ends[row]);
      }
    }
    next_row += block.rows;
  }
  EXPECT_EQ(next_row, segment.rows());
  const std::int64_t first = matrix.row_offsets[segment.begin_row];
  for (std::int64_t row = segment.begin_row; row <= segment.end_row; ++row) {
    ASSERT_EQ(back.row_offsets[row - segment.begin_row], matrix.row_offsets[row] - first) << row;
  }
  for (std::size_t k = 0; k < back.values.size(); ++k) {
    ASSERT_EQ(back.values[k], matrix.values[first + k]);
    ASSERT_EQ(back.column_indices[k], matrix.column_indices[first + k]);
  }
  const AdaptiveSize size = adaptive_size(matrix.view().pattern(), segment);
  EXPECT_EQ(size.blocks, std::ssize(a.blocks));
  EXPECT_EQ(size.column_units * column_unit_bytes, std::ssize(a.column_bytes));
  const AdaptiveSize most =
      most_adaptive_size(segment.rows(), segment.nonzeros(matrix.row_offsets));
  EXPECT_LE(size.blocks, most.blocks);
  EXPECT_LE(size.column_units, most.column_units);
}

TEST(ConvertToAdaptive, LosesNothing) {
  for (std::int64_t size = 1; size < 80; size += 7) {
    expect_nothing_lost(random_csr<double>(size, size, 3, static_cast<unsigned>(size)), {0, size});
  }
  expect_nothing_lost(random_csr<float>(9000, 200'000, 5, 3), {0, 9000});
  expect_nothing_lost(random_csr<double>(9000, 9000, 5, 4), {1000, 8777});
  const CsrMatrix<double> graph = power_law(20'000, 12, 2.1, 5);
  expect_nothing_lost(graph, {0, graph.rows});
  expect_nothing_lost(graph, {4095, 4097});
  expect_nothing_lost(graph, {77, 77});
}

TEST(ConvertToAdaptive, CutsRowsAroundWhatABlockHolds) {
  constexpr std::int64_t most = most_entries_of_row_block;
  const CsrMatrix<double> matrix =
      matrix_of_lengths({most - 1, 1, 1, most, most + 1, 0, 3 * most, 5, 3 * most + 1, 0});
  expect_nothing_lost(matrix, {0, matrix.rows});
  const AdaptiveMatrix<double> a = convert_to_adaptive(matrix.view(), {0, matrix.rows});
  std::vector<int> rows;
  std::vector<int> entries;
  for (const RowBlock& block : a.blocks) {
    rows.push_back(block.rows);
    entries.push_back(block.entries);
  }
  EXPECT_EQ(rows, (std::vector<int>{2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(entries, (std::vector<int>{most, 1, most, most, 1, 0, most, most, most, 5, most, most,
                                       most, 1, 0}));
  EXPECT_EQ(a.blocks[13].pieces_before, 3);
  EXPECT_FALSE(a.blocks[13].more_pieces);
}

TEST(ConvertToAdaptive, TakesNoMoreThanTheBoundForRowsThatAllBeginBesideALine) {
  std::vector<std::int64_t> lengths{29};
  for (int pair = 0; pair < 500; ++pair) {
    lengths.push_back(most_entries_of_row_block + 1);
    lengths.push_back(30);
  }
  CsrMatrix<double> matrix = matrix_of_lengths(lengths, 100'000);
  // Far apart, so that columns take four bytes.
  for (std::int32_t& column : matrix.column_indices) column *= 97;
  expect_nothing_lost(matrix, {0, matrix.rows});
}

TEST(ConvertToAdaptive, HasFewBlocksForEmptyRowsAndNoneAcrossACut) {
  const std::int64_t rows = 2 * rows_cut_together + 10;
  const CsrMatrix<double> matrix =
      matrix_of_lengths(std::vector<std::int64_t>(static_cast<std::size_t>(rows), 0));
  const AdaptiveMatrix<double> a = convert_to_adaptive(matrix.view(), {0, rows});
  EXPECT_EQ(std::ssize(a.blocks), 2 * (rows_cut_together / most_rows_of_row_block) + 1);
  EXPECT_TRUE(a.column_bytes.empty());
  expect_nothing_lost(matrix, {0, rows});
}

TEST(ConvertToAdaptive, TakesTwoBytesForColumnsWhereTheyAreNearEnough) {
  CsrMatrix<double> matrix = matrix_of_lengths({2, 2}, 70'000);
  const auto bytes_of = [&](std::vector<std::int32_t> columns) {
    matrix.column_indices.assign(columns.begin(), columns.end());
    expect_nothing_lost(matrix, {0, 2});
    return int{convert_to_adaptive(matrix.view(), {0, 2}).blocks[0].column_bytes};
  };
  EXPECT_EQ(bytes_of({100, 200, 300, 65'635}), 2);
  EXPECT_EQ(bytes_of({100, 200, 300, 65'636}), 4);
  EXPECT_EQ(bytes_of({300, 65'636, 100, 200}), 4);
}

TEST(ConvertToAdaptive, RefusesASegmentOutsideTheMatrix) {
  const CsrMatrix<double> matrix = random_csr<double>(10, 10, 3, 1);
  EXPECT_THROW(convert_to_adaptive(matrix.view(), {0, 11}), Error);
}

TEST(AdaptiveShape, CountsWhatIsStored) {
  const CsrMatrix<double> matrix = power_law(20'000, 12, 2.1, 5);
  const Segment segment{0, matrix.rows};
  const AdaptiveMatrix<double> a = convert_to_adaptive(matrix.view(), segment);
  const SegmentShape shape =
      adaptive_shape(20'000, 20'000, static_cast<double>(matrix.view().nonzeros()),
                     adaptive_size(matrix.view().pattern(), segment));
  EXPECT_DOUBLE_EQ(shape.elements * shape.index_bytes, static_cast<double>(a.column_bytes.size()));
  EXPECT_DOUBLE_EQ(shape.block_rows * shape.offset_bytes,
                   static_cast<double>(a.row_ends.size() * sizeof(std::uint16_t) +
                                       a.blocks.size() * sizeof(RowBlock)));
}

}  // namespace
}  // namespace sparsecast
