#include "core/formats/format.hpp"

#include <vector>

#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/block_shape.hpp"

/// @file
/// cuSPARSE's products, for comparisons: `cusparse` is CSR by its default algorithm, `cusparseN`
/// BSR in N x N blocks. Nothing forecasts them.

namespace sparsecast {

extern const Format cusparse_format;

namespace {

/// Its offsets have 32 bits, as its columns have.
SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  SegmentShape shape =
      block_shape(numbers, layout.block_size, numbers.blocks_of(layout.block_size));
  shape.offset_bytes = 4;
  return shape;
}

}  // namespace

const Format cusparse_format{.name = "cusparse",
                             .layouts =
                                 [] {
                                   std::vector<Layout> layouts;
                                   for (const int n : block_sizes)
                                     layouts.push_back({"cusparse", n, RowOrder::natural});
                                   return layouts;
                                 },
                             .shape = shape_of,
                             .weights =
                                 [](const PatternView& matrix, const Layout& layout) {
                                   return count_blocks(matrix, {0, matrix.rows}, layout.block_size);
                                 },
                             // Its default algorithm adds rows up in any order.
                             .repeats_bits = false};

}  // namespace sparsecast
