#include "core/formats/paper/paper_layout.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/base/error.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/paper/paper_spmv.hpp"
#include "core/formats/registry.hpp"
#include "core/random_csr.hpp"

namespace sparsecast {
namespace {

using enum PaperMapping;
using enum PaperStorage;

TEST(PaperLayout, HasTheNamesOfItsGrammar) {
  const auto name = [](int n, RowOrder order, PaperMapping mapping, PaperStorage storage) {
    return to_string(paper_layout(n, order, mapping, storage));
  };
  EXPECT_EQ(name(1, RowOrder::natural, multiple_block_rows, reordered), "paper");
  EXPECT_EQ(name(4, RowOrder::natural, multiple_block_rows, reordered), "paper4");
  EXPECT_EQ(name(4, RowOrder::sorted, multiple_block_rows, reordered), "paper4-sorted");
  EXPECT_EQ(name(4, RowOrder::natural, warp, padded), "paper4-warp-padded");
  EXPECT_EQ(name(2, RowOrder::natural, multiple_block_rows, plain), "paper2-plain");
  EXPECT_EQ(name(4, RowOrder::sorted, block_row, plain), "paper4-block-row-plain-sorted");
}

TEST(PaperLayout, IsOneForEveryChoice) {
  std::set<std::string> names;
  for (const Layout& layout : all_layouts()) {
    if (layout.format != paper_format_name) continue;
    const std::string name = to_string(layout);
    names.insert(name);
    EXPECT_EQ(parse_layout(name), layout);
    const PaperSpmv choice = paper_choice(layout, {128, 2});
    EXPECT_EQ(choice.threads_per_block, 128);
    EXPECT_EQ(choice.blocks_at_once, 2);
    EXPECT_EQ(paper_layout(layout.block_size, layout.row_order, choice.mapping, choice.storage),
              layout);
  }
  EXPECT_EQ(names.size(), 4u * 2 * 3 * 3);
}

TEST(PaperLayout, RefusesOtherBlocksAndOtherLayouts) {
  EXPECT_THROW(paper_layout(3, RowOrder::natural, warp, plain), Error);
  EXPECT_THROW(paper_layout(16, RowOrder::natural, warp, plain), Error);
  EXPECT_THROW(paper_choice(Layout{}), Error);
  EXPECT_THROW(paper_choice({paper_format_name, 4, RowOrder::natural, "thread"}), Error);
}

TEST(PaperLayout, CountsThePaddingOfASegmentThatIsStored) {
  const CsrMatrix<double> matrix = random_csr<double>(307, 301, 9, 4);
  const Segment segment{64, 307};
  CudaPolicy policy;
  policy.paper.threads_per_block = 512;
  for (const Layout& layout : all_layouts()) {
    if (layout.format != paper_format_name) continue;
    const Format& format = format_of(layout);
    PatternNumbers numbers;
    numbers.rows = 243;
    numbers.columns = 301;
    numbers.nonzeros = static_cast<double>(segment.nonzeros(matrix.view().row_offsets));
    const Layout blocks{"bcsr", layout.block_size, layout.row_order};
    const auto stored = convert_to_bcsr(matrix.view(), segment, blocks);
    for (std::size_t k = 0; k < block_sizes.size(); ++k) {
      if (block_sizes[k] != layout.block_size) continue;
      numbers.blocks[k] = static_cast<double>(stored.blocks());
    }
    const PaperSpmv choice = paper_choice(layout, policy.paper);
    if (choice.storage != plain) {
      EXPECT_THROW(format.shape(numbers, layout), Error);
    }
    numbers.counts = format.count(matrix.view().pattern(), segment, layout, 1, policy);
    const auto arranged =
        arrange_as_in_paper(stored, choice.storage, paper_geometry(choice, layout.block_size));
    const SegmentShape shape = format.shape(numbers, layout);
    EXPECT_EQ(shape.elements, static_cast<double>(arranged.values.size())) << to_string(layout);
    EXPECT_EQ(shape.block_rows, static_cast<double>(stored.block_rows));
  }
}

}  // namespace
}  // namespace sparsecast
