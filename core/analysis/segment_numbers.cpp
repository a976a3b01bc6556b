#include "core/analysis/segment_numbers.hpp"

#include <algorithm>
#include <cstddef>

#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {

PatternNumbers segment_numbers(const PatternView& matrix, const Segment& segment,
                               const Layout& layout, int threads) {
  const Format& format = format_of(layout);
  PatternNumbers numbers;
  numbers.rows = static_cast<double>(segment.rows());
  numbers.columns = static_cast<double>(matrix.columns);
  numbers.nonzeros = static_cast<double>(segment.nonzeros(matrix.row_offsets));
  if (layout.block_size > 1) {
    const auto place = std::ranges::find(block_sizes, layout.block_size) - block_sizes.begin();
    numbers.blocks[static_cast<std::size_t>(place)] =
        static_cast<double>(count_blocks(matrix, segment, layout.block_size, threads).back());
  }
  if (format.count != nullptr) numbers.counts = format.count(matrix, segment, threads, {});
  return numbers;
}

}  // namespace sparsecast
