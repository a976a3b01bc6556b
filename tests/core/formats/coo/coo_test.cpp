#include "core/formats/coo/coo.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/formats/bell_garland_example.hpp"
#include "core/formats/registry.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

const Layout coo{"coo", 1, RowOrder::natural};

template <class Value>
std::vector<Value> listed(const Buffer<Value>& values) {
  return {values.begin(), values.end()};
}

using Indices = std::vector<std::int32_t>;

TEST(ConvertToCoo, StoresTheExampleOfThePaper) {
  const CooMatrix<double> stored = convert_to_coo(bell_garland_example().view(), {0, 4});
  // Figure 10.
  EXPECT_EQ(listed(stored.row_indices), (Indices{0, 0, 1, 1, 2, 2, 2, 3, 3}));
  EXPECT_EQ(listed(stored.column_indices), (Indices{0, 1, 1, 2, 0, 2, 3, 1, 3}));
  EXPECT_EQ(listed(stored.values), (std::vector<double>{1, 7, 2, 8, 5, 3, 9, 6, 4}));
}

TEST(ConvertToCoo, StoresWhatIsBehindTheFirstEntriesOfEachRow) {
  const CsrMatrix<double> matrix = bell_garland_example();
  const CooMatrix<double> stored = convert_to_coo(matrix.view(), {1, 4}, 1);
  EXPECT_EQ(listed(stored.row_indices), (Indices{0, 1, 1, 2}));
  EXPECT_EQ(listed(stored.column_indices), (Indices{2, 2, 3, 3}));
  EXPECT_EQ(listed(stored.values), (std::vector<double>{8, 3, 9, 4}));
  EXPECT_TRUE(convert_to_coo(matrix.view(), {0, 4}, 3).values.empty());
  EXPECT_EQ(listed(entries_before(matrix.view().pattern(), {0, 4}, 2)),
            (std::vector<std::int64_t>{0, 0, 0, 1, 1}));
  EXPECT_NE(refusal_of([&] { convert_to_coo(matrix.view(), {2, 5}); }), "accepted");
}

TEST(ThreadedConvertToCoo, IsTheSameOnAnyNumberOfThreads) {
  const CsrMatrix<float> matrix = random_csr<float>(20000, 15000, 3, 5);
  const CooMatrix<float> alone = convert_to_coo(matrix.view(), {100, 19000}, 2, 1);
  const CooMatrix<float> stored = convert_to_coo(matrix.view(), {100, 19000}, 2, 4);
  EXPECT_EQ(stored.row_indices, alone.row_indices);
  EXPECT_EQ(stored.column_indices, alone.column_indices);
  EXPECT_EQ(stored.values, alone.values);
  EXPECT_TRUE(std::ranges::is_sorted(stored.row_indices));
}

TEST(Coo, HasRowsAndColumnsInItsShape) {
  PatternNumbers numbers;
  numbers.rows = 100;
  numbers.columns = 90;
  numbers.nonzeros = 300;
  const SegmentShape shape = format_of(coo).shape(numbers, coo);
  EXPECT_EQ(shape.elements, 300);
  EXPECT_EQ(shape.blocks, 300);
  EXPECT_EQ(shape.block_rows, 100);
  EXPECT_EQ(shape.total_unknowns, 90);
  EXPECT_EQ(shape.index_bytes, 8);
  EXPECT_EQ(shape.offset_bytes, 0);
}

}  // namespace
}  // namespace sparsecast
