#include "core/formats/format.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/formats/bcsr/bcsr.hpp"
#include "core/formats/block_shape.hpp"
#include "core/formats/paper/paper_layout.hpp"
#include "core/formats/paper/paper_spmv.hpp"

/// @file
/// The paper's own mappings, for comparisons: nothing forecasts them.

namespace sparsecast {

extern const Format paper_format;

namespace {

constexpr std::array paper_block_sizes{1, 2, 4, 8};

std::vector<Layout> all_of_the_paper() {
  std::vector<Layout> layouts;
  using enum PaperMapping;
  using enum PaperStorage;
  for (const PaperMapping mapping : {multiple_block_rows, warp, block_row}) {
    for (const PaperStorage storage : {reordered, padded, plain}) {
      for (const int n : paper_block_sizes) {
        for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
          layouts.push_back(paper_layout(n, order, mapping, storage));
        }
      }
    }
  }
  return layouts;
}

/// What the padded blocks of a mapping are counted as; reordered storage has as many.
std::string count_name(const Layout& layout) {
  const PaperSpmv choice = paper_choice(layout);
  return "blocks of " + to_string(paper_layout(layout.block_size, layout.row_order, choice.mapping,
                                               PaperStorage::padded));
}

/// Cumulative numbers of blocks by falling length of the block rows.
Buffer<std::int64_t> by_falling_length(Buffer<std::int64_t> sorted) {
  std::adjacent_difference(sorted.begin(), sorted.end(), sorted.begin());
  std::sort(sorted.begin() + 1, sorted.end(), std::greater<>());
  std::partial_sum(sorted.begin(), sorted.end(), sorted.begin());
  return sorted;
}

/// Of the block sizes that there are enough threads for.
std::map<std::string, double> padded_blocks(const PatternView& matrix, const Segment& segment,
                                            const Layout&, int threads, const CudaPolicy& policy) {
  std::map<std::string, double> counts;
  using enum PaperMapping;
  for (const int n : paper_block_sizes) {
    const Buffer<std::int64_t> natural = count_blocks(matrix, segment, n, threads);
    const Buffer<std::int64_t> sorted = by_falling_length(natural);
    for (const PaperMapping mapping : {multiple_block_rows, warp, block_row}) {
      PaperSpmv choice = paper_choice({paper_format_name, n}, policy.paper);
      choice.mapping = mapping;
      if (!has_paper_geometry(choice, n)) continue;
      const PaperGeometry geometry = paper_geometry(choice, n);
      for (const RowOrder order : {RowOrder::natural, RowOrder::sorted}) {
        const auto& offsets = order == RowOrder::sorted ? sorted : natural;
        const auto blocks = paper_thread_block_offsets(offsets, geometry).back();
        counts[count_name(paper_layout(n, order, mapping, PaperStorage::padded))] =
            static_cast<double>(blocks);
      }
    }
  }
  return counts;
}

double stored_blocks(const PatternNumbers& numbers, const Layout& layout) {
  if (paper_choice(layout).storage == PaperStorage::plain) {
    return numbers.blocks_of(layout.block_size);
  }
  const auto found = numbers.counts.find(count_name(layout));
  if (found == numbers.counts.end()) {
    throw Error("layout " + to_string(layout) +
                ": its padding is not known from numbers; give the matrix itself");
  }
  return found->second;
}

SegmentShape shape_of(const PatternNumbers& numbers, const Layout& layout) {
  return block_shape(numbers, layout.block_size, stored_blocks(numbers, layout));
}

/// Without padding, which depends on where segments begin.
Buffer<std::int64_t> weights_of(const PatternView& matrix, const Layout& layout) {
  return count_blocks(matrix, {0, matrix.rows}, layout.block_size);
}

}  // namespace

const Format paper_format{.name = paper_format_name,
                          .layouts = all_of_the_paper,
                          .count = padded_blocks,
                          .shape = shape_of,
                          .weights = weights_of};

}  // namespace sparsecast
