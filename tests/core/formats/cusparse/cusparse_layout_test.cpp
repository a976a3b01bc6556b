#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

TEST(CusparseLayout, IsAFormatOfTheLibraryWithAnAlgorithm) {
  std::vector<std::string> names;
  for (const Layout& layout : all_layouts()) {
    if (layout.format == "cusparse") names.push_back(to_string(layout));
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "cusparse", "cusparse2", "cusparse3", "cusparse4", "cusparse6", "cusparse8",
                       "cusparse-alg2", "cusparse-coo", "cusparse-coo-alg2", "cusparse-sell"}));
}

TEST(CusparseLayout, HasTheSizeOfItsBlocksWithOffsetsOf32Bits) {
  PatternNumbers numbers;
  numbers.rows = 100;
  numbers.columns = 90;
  numbers.nonzeros = 500;
  numbers.blocks[2] = 80;  // 3 x 3
  const auto shape = [&](const char* name) {
    const Layout layout = parse_layout(name);
    return format_of(layout).shape(numbers, layout);
  };
  EXPECT_EQ(shape("cusparse").elements, 500);
  EXPECT_EQ(shape("cusparse").block_rows, 100);
  EXPECT_EQ(shape("cusparse3").elements, 720);
  EXPECT_EQ(shape("cusparse3").block_rows, 34);
  EXPECT_EQ(shape("cusparse3").offset_bytes, 4);
}

TEST(CusparseLayout, HasTwoIndicesOfEachEntryOfCoo) {
  PatternNumbers numbers;
  numbers.rows = 100;
  numbers.columns = 90;
  numbers.nonzeros = 500;
  for (const char* name : {"cusparse-coo", "cusparse-coo-alg2"}) {
    const Layout layout = parse_layout(name);
    const SegmentShape shape = format_of(layout).shape(numbers, layout);
    EXPECT_EQ(shape.elements, 500);
    EXPECT_EQ(shape.index_bytes, 8);
    EXPECT_EQ(shape.offset_bytes, 0);
  }
}

TEST(CusparseLayout, HasThePaddingOfItsSlices) {
  PatternNumbers numbers;
  numbers.rows = 100;
  numbers.columns = 90;
  numbers.nonzeros = 500;
  numbers.counts = {{"number of values in slices", 640}};
  const Layout layout = parse_layout("cusparse-sell");
  const SegmentShape shape = format_of(layout).shape(numbers, layout);
  EXPECT_EQ(shape.elements, 640);
  EXPECT_EQ(shape.index_bytes, 4);
  EXPECT_EQ(shape.offset_bytes * shape.block_rows, 4 * 4) << "4 slices";
}

TEST(CusparseLayout, IsForWhoeverAsksForIt) {
  EXPECT_EQ(std::ranges::count(usual_layouts(), parse_layout("cusparse")), 0);
  EXPECT_FALSE(has_cpu_products(parse_layout("cusparse4")));
  EXPECT_FALSE(format_of(parse_layout("cusparse")).has_persistent_kernel);
}

}  // namespace
}  // namespace sparsecast
