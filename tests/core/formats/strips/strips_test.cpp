#include "core/formats/strips/strips.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/cpu/cpu_backend.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/registry.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"
#include "core/schedule/microbenchmark_schedules.hpp"

namespace sparsecast {
namespace {

constexpr StripContent contents[] = {StripContent::quads, StripContent::rows};

/// 8 x 12: value (i, j) of the first block is 11, 12, ... 44, those of the second, which is two
/// block columns to the right, 111, ... 144. Of the second block row's only block there are two.
///
///     11 12 13 14 . . . . 111 112 113 114
///     ...
///     41 42 43 44 . . . . 141 142 143 144
///      .  .  .  . 7 . . .   .   .   .   .
///      .  .  .  . . . 8 .   .   .   .   .
///      .  .  .  . . . . .   .   .   .   .
///      .  .  .  . . . . .   .   .   .   .
CsrMatrix<double> blocks_example() {
  CsrMatrix<double> matrix;
  matrix.rows = 8;
  matrix.columns = 12;
  matrix.row_offsets.push_back(0);
  for (std::int32_t i = 0; i < 4; ++i) {
    for (const std::int32_t first : {0, 8}) {
      for (std::int32_t j = 0; j < 4; ++j) {
        matrix.column_indices.push_back(first + j);
        matrix.values.push_back((first == 8 ? 100 : 0) + 10 * (i + 1) + j + 1);
      }
    }
    matrix.row_offsets.push_back(std::ssize(matrix.column_indices));
  }
  for (const auto& [column, value] : {std::pair{4, 7.0}, {6, 8.0}}) {
    matrix.column_indices.push_back(column);
    matrix.values.push_back(value);
    matrix.row_offsets.push_back(std::ssize(matrix.column_indices));
  }
  for (int row = 6; row < 8; ++row) matrix.row_offsets.push_back(matrix.row_offsets.back());
  return matrix;
}

using Values = std::vector<double>;

Values strip(const StripMatrix<double>& a, int index) {
  const auto first = a.values.begin() + index * a.blocks() * strip_values;
  return {first, first + a.blocks() * strip_values};
}

using Offsets = Buffer<std::uint32_t>;

TEST(ConvertToStrips, StoresSubBlocksOf2By2AsTheTextSays) {
  const StripMatrix<double> stored =
      convert_to_strips(blocks_example().view(), {0, 8}, StripContent::quads);
  EXPECT_EQ(stored.offsets, (Offsets{0, 2, 3}));
  EXPECT_EQ(stored.block_columns, (Buffer<std::int32_t>{0, 2, 1}));
  EXPECT_EQ(strip(stored, 0), (Values{11, 12, 21, 22, 111, 112, 121, 122, 7, 0, 0, 0}));
  EXPECT_EQ(strip(stored, 1), (Values{13, 14, 23, 24, 113, 114, 123, 124, 0, 0, 8, 0}));
  EXPECT_EQ(strip(stored, 2), (Values{31, 32, 41, 42, 131, 132, 141, 142, 0, 0, 0, 0}));
  EXPECT_EQ(strip(stored, 3), (Values{33, 34, 43, 44, 133, 134, 143, 144, 0, 0, 0, 0}));
}

TEST(ConvertToStrips, StoresRowsOfBlocksAsTheReleasedCodeDoes) {
  const StripMatrix<double> stored =
      convert_to_strips(blocks_example().view(), {0, 8}, StripContent::rows);
  EXPECT_EQ(stored.offsets, (Offsets{0, 2, 2, 3})) << "begin and end of each block row";
  EXPECT_EQ(stored.block_columns, (Buffer<std::int32_t>{0, 2, 1}));
  EXPECT_EQ(strip(stored, 0), (Values{11, 12, 13, 14, 111, 112, 113, 114, 7, 0, 0, 0}));
  EXPECT_EQ(strip(stored, 1), (Values{21, 22, 23, 24, 121, 122, 123, 124, 0, 0, 8, 0}));
  EXPECT_EQ(strip(stored, 2), (Values{31, 32, 33, 34, 131, 132, 133, 134, 0, 0, 0, 0}));
  EXPECT_EQ(strip(stored, 3), (Values{41, 42, 43, 44, 141, 142, 143, 144, 0, 0, 0, 0}));
}

TEST(ConvertToStrips, TakesASegmentsRowsWithColumnsOfTheWholeMatrix) {
  const CsrMatrix<double> matrix = blocks_example();
  for (const StripContent content : contents) {
    const StripMatrix<double> stored = convert_to_strips(matrix.view(), {4, 8}, content);
    EXPECT_EQ(stored.offsets, (Offsets{0, 1}));
    EXPECT_EQ(stored.block_columns, (Buffer<std::int32_t>{1}));
    EXPECT_EQ(strip(stored, 0).front(), 7);
    EXPECT_EQ(convert_to_strips(matrix.view(), {8, 8}, content).blocks(), 0);
    EXPECT_NE(refusal_of([&] { convert_to_strips(matrix.view(), {2, 8}, content); }), "accepted");
    EXPECT_NE(refusal_of([&] { convert_to_strips(matrix.view(), {0, 12}, content); }), "accepted");
  }
}

template <class T>
class ThreadedConvertToStrips : public testing::Test {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ThreadedConvertToStrips, ValueTypes);

TYPED_TEST(ThreadedConvertToStrips, HoldsExactlyTheMatrixOnAnyNumberOfThreads) {
  using T = TypeParam;
  // Block rows and columns hang over.
  const CsrMatrix<T> matrix = random_csr<T>(10'007, 83, 5, 3);
  for (const Segment segment : {Segment{0, 10'007}, Segment{128, 9'600}}) {
    std::map<std::pair<std::int64_t, std::int64_t>, T> expected;
    for (std::int64_t row = segment.begin_row; row < segment.end_row; ++row) {
      for (std::int64_t e = matrix.row_offsets[row]; e < matrix.row_offsets[row + 1]; ++e) {
        expected[{row - segment.begin_row, matrix.column_indices[e]}] = matrix.values[e];
      }
    }
    for (const StripContent content : contents) {
      for (const int threads : {1, 3}) {
        const StripMatrix<T> stored = convert_to_strips(matrix.view(), segment, content, threads);
        ASSERT_EQ(std::ssize(stored.values), 16 * stored.blocks());
        std::map<std::pair<std::int64_t, std::int64_t>, T> found;
        for (std::int64_t k = 0; k < stored.block_rows; ++k) {
          ASSERT_EQ(stored.begin(k), k == 0 ? 0 : stored.end(k - 1));
          for (std::int64_t block = stored.begin(k); block < stored.end(k); ++block) {
            for (int i = 0; i < 4; ++i) {
              for (int j = 0; j < 4; ++j) {
                const StripPlace place = strip_place(content, i, j);
                const T value =
                    stored.values[(place.strip * stored.blocks() + block) * 4 + place.value];
                if (value != 0) {
                  found[{4 * k + i, 4 * std::int64_t{stored.block_columns[block]} + j}] = value;
                }
              }
            }
          }
        }
        EXPECT_TRUE(found == expected);
      }
    }
  }
}

TEST(Strips, HaveNamesWithTheirBlockSize) {
  for (const char* name : {"bcsr4-quads", "bcsr4-strips"}) {
    const Layout layout = parse_layout(name);
    EXPECT_EQ(to_string(layout), name);
    EXPECT_EQ(layout.format, name);
    EXPECT_EQ(layout.block_size, 4);
    EXPECT_FALSE(is_csr_or_blocks(layout));
    EXPECT_EQ(std::ranges::count(usual_layouts(), layout), 0) << "for whoever asks for it";
    EXPECT_TRUE(has_cpu_products(layout));
    EXPECT_FALSE(format_of(layout).has_persistent_kernel);
  }
}

TEST(Strips, StoreBlocksOf4By4WithOneOffsetOrTwo) {
  const CsrMatrix<double> matrix = random_csr<double>(131, 131, 4, 7);
  const auto blocks =
      static_cast<double>(count_blocks(matrix.view().pattern(), {0, 131}, 4).back());
  CpuBackend cpu(1, 1);
  for (const auto& [name, offset_bytes] : {std::pair{"bcsr4-quads", 4}, {"bcsr4-strips", 8}}) {
    const auto prepared =
        cpu.prepare(single_step_schedule("SpMV"), matrix.view(), parse_layout(name));
    prepared->run(1);
    const BytesByKind bytes = prepared->counters().bytes;
    EXPECT_EQ(bytes.values, blocks * 16 * 8);
    EXPECT_EQ(bytes.indices, blocks * 4);
    EXPECT_EQ(bytes.row_pointers, 33 * offset_bytes);
  }
}

}  // namespace
}  // namespace sparsecast
