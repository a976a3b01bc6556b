#include "core/formats/format.hpp"

#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/bcsr/geometry.hpp"
#include "core/formats/block_shape.hpp"

/// @file
/// CSR, and BCSR with its block sizes: CSR is what BCSR is with blocks of 1 x 1.

namespace sparsecast {

extern const Format csr_format;
extern const Format bcsr_format;

namespace {

std::vector<Layout> layouts_of(int first_size, int last_size) {
  std::vector<Layout> layouts;
  for (const int block_size : block_sizes) {
    if (block_size < first_size || block_size > last_size) continue;
    for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
      layouts.push_back(block_layout(block_size));
      layouts.back().row_order = order;
    }
  }
  return layouts;
}

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  return block_shape(numbers, layout.block_size, numbers.blocks_of(layout.block_size));
}

/// Blocks that are less than half full cost more than the indices that they save. Our kernels cut
/// long rows, so that sorted rows, which the paper's mappings gain by, are for whoever asks.
bool may_pay(const PatternNumbers& numbers, const Layout& layout) {
  return layout.row_order == RowOrder::natural &&
         shape_of(numbers, layout).elements <= 2 * numbers.nonzeros;
}

Buffer<std::int64_t> offsets_of(const PatternView& matrix, const Layout& layout) {
  if (layout.block_size > 1) return count_blocks(matrix, {0, matrix.rows}, layout.block_size);
  return matrix.row_offsets.copy();
}

}  // namespace

const Format csr_format{.name = "csr",
                        .layouts = [] { return layouts_of(1, 1); },
                        .shape = shape_of,
                        .may_pay = may_pay,
                        .weights = offsets_of,
                        .narrows_columns = true,
                        .has_persistent_kernel = true,
                        .execution = bcsr_execution,
                        .geometry = bcsr_geometry};
const Format bcsr_format{.name = "bcsr",
                         .layouts = [] { return layouts_of(2, block_sizes.back()); },
                         .shape = shape_of,
                         .may_pay = may_pay,
                         .weights = offsets_of,
                         .narrows_columns = true,
                         .has_persistent_kernel = true,
                         .execution = bcsr_execution,
                         .geometry = bcsr_geometry};

}  // namespace sparsecast
