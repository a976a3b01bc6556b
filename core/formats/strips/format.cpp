#include "core/formats/format.hpp"

#include <vector>

#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/strips/strips.hpp"

/// @file
/// The strips of 4 x 4 blocks of Buatois, Caumon and Levy 2009, for comparisons: `bcsr4-quads` as
/// their text has them, `bcsr4-strips` as their released code does. Nothing forecasts them.

namespace sparsecast {

extern const Format bcsr4_quads_format;
extern const Format bcsr4_strips_format;

namespace {

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  return strip_shape(numbers.rows, numbers.columns, numbers.blocks_of(strip_block_size),
                     strip_content(layout));
}

Buffer<std::int64_t> blocks_before(const PatternView& matrix, const Layout&) {
  return count_blocks(matrix, {0, matrix.rows}, strip_block_size);
}

}  // namespace

const Format bcsr4_quads_format{
    .name = "bcsr4-quads",
    .layouts =
        [] {
          return std::vector<Layout>{{"bcsr4-quads", strip_block_size, RowOrder::natural}};
        },
    .shape = shape_of,
    .weights = blocks_before};
const Format bcsr4_strips_format{
    .name = "bcsr4-strips",
    .layouts =
        [] {
          return std::vector<Layout>{{"bcsr4-strips", strip_block_size, RowOrder::natural}};
        },
    .shape = shape_of,
    .weights = blocks_before};

}  // namespace sparsecast
