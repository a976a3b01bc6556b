#include "core/analysis/segment_numbers.hpp"

#include <algorithm>
#include <cstddef>

#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/registry.hpp"

namespace sparsecast {

PatternNumbers numbers_but_blocks(const PatternView& matrix, const Segment& segment,
                                  const Layout& layout, const CudaPolicy& policy, int threads) {
  const Format& format = format_of(layout);
  PatternNumbers numbers;
  numbers.rows = static_cast<double>(segment.rows());
  numbers.columns = static_cast<double>(matrix.columns);
  numbers.nonzeros = static_cast<double>(segment.nonzeros(matrix.row_offsets));
  if (format.count != nullptr) {
    numbers.counts = format.count(matrix, segment, layout, threads, policy);
  }
  return numbers;
}

PatternNumbers segment_numbers(const PatternView& matrix, const Segment& segment,
                               const Layout& layout, int threads) {
  PatternNumbers numbers = numbers_but_blocks(matrix, segment, layout, {}, threads);
  if (layout.block_size > 1) {
    const auto place = std::ranges::find(block_sizes, layout.block_size) - block_sizes.begin();
    numbers.blocks[static_cast<std::size_t>(place)] =
        static_cast<double>(count_blocks(matrix, segment, layout.block_size, threads).back());
  }
  return numbers;
}

PatternNumbers matrix_numbers(const PatternView& matrix, const MatrixFeatures& features,
                              const Layout& layout, const CudaPolicy& policy) {
  const Format& format = format_of(layout);
  PatternNumbers numbers = features.numbers(layout.format);
  if (format.count != nullptr && std::ranges::count(usual_layouts(), layout) == 0) {
    numbers.counts = format.count(matrix, {0, matrix.rows}, layout, 0, policy);
  }
  return numbers;
}

}  // namespace sparsecast
