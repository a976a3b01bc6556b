#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/formats/registry.hpp"

namespace sparsecast {
namespace {

TEST(CusparseLayout, IsCsrOrBlocksOfEverySize) {
  std::vector<std::string> names;
  for (const Layout& layout : all_layouts()) {
    if (layout.format == "cusparse") names.push_back(to_string(layout));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"cusparse", "cusparse2", "cusparse3", "cusparse4",
                                             "cusparse6", "cusparse8"}));
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

TEST(CusparseLayout, IsForWhoeverAsksForIt) {
  EXPECT_EQ(std::ranges::count(usual_layouts(), parse_layout("cusparse")), 0);
  EXPECT_FALSE(has_cpu_products(parse_layout("cusparse4")));
  EXPECT_FALSE(format_of(parse_layout("cusparse")).has_persistent_kernel);
}

}  // namespace
}  // namespace sparsecast
