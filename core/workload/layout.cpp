#include "core/workload/layout.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace sparsecast {

Layout block_layout(int block_size) {
  if (std::ranges::find(block_sizes, block_size) == block_sizes.end()) {
    throw Error("no kernels for block size " + std::to_string(block_size) +
                "; expected 1, 2, 3, 4, 6 or 8");
  }
  return {block_size == 1 ? Format::csr : Format::bcsr, block_size, RowOrder::natural};
}

std::string to_string(const Layout& layout) {
  std::string name = layout.format == Format::csr ? "csr" : "bcsr";
  if (layout.format == Format::bcsr) name += std::to_string(layout.block_size);
  if (layout.row_order == RowOrder::sorted) name += "-sorted";
  return name;
}

Layout parse_layout(std::string_view name) {
  for (const int block_size : block_sizes) {
    for (const RowOrder row_order : {RowOrder::natural, RowOrder::sorted}) {
      Layout layout = block_layout(block_size);
      layout.row_order = row_order;
      if (name == to_string(layout)) return layout;
    }
  }
  throw Error("no layout '" + std::string(name) +
              "'; expected csr, bcsr2, bcsr3, bcsr4, bcsr6 or bcsr8, with or without -sorted");
}

}  // namespace sparsecast
