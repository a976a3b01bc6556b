#include "core/workload/layout.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace sparsecast {

Layout block_layout(int block_size) {
  if (std::ranges::find(block_sizes, block_size) == block_sizes.end()) {
    throw Error("no kernels for block size " + std::to_string(block_size) +
                "; expected 1, 2, 3, 4, 6 or 8");
  }
  return {block_size == 1 ? "csr" : "bcsr", block_size, RowOrder::natural};
}

bool is_csr_or_blocks(const Layout& layout) {
  return layout.format == block_layout(layout.block_size).format;
}

std::string to_string(const Layout& layout) {
  std::string name(layout.format);
  for (const int size : {layout.block_size, layout.slice_height}) {
    // A format of one block size may have it in its name ("bcsr4-quads").
    const bool is_in_name = layout.format.find(std::to_string(size)) != std::string_view::npos;
    if (size > 1 && !is_in_name) name += std::to_string(size);
  }
  if (!layout.variant.empty()) name += "-" + std::string(layout.variant);
  if (layout.row_order == RowOrder::sorted) name += "-sorted";
  if (layout.sorting_window > 0) name += std::to_string(layout.sorting_window);
  return name;
}

}  // namespace sparsecast
