#include "core/formats/paper/paper_layout.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

struct Variant {
  std::string_view name;
  PaperMapping mapping;
  PaperStorage storage;
};

using enum PaperMapping;
using enum PaperStorage;
constexpr std::array variants{
    Variant{"", multiple_block_rows, reordered},  Variant{"padded", multiple_block_rows, padded},
    Variant{"plain", multiple_block_rows, plain}, Variant{"warp", warp, reordered},
    Variant{"warp-padded", warp, padded},         Variant{"warp-plain", warp, plain},
    Variant{"block-row", block_row, reordered},   Variant{"block-row-padded", block_row, padded},
    Variant{"block-row-plain", block_row, plain},
};

}  // namespace

Layout paper_layout(int block_size, RowOrder order, PaperMapping mapping, PaperStorage storage) {
  paper_geometry({mapping, storage}, block_size);  // refuses
  const auto found = std::ranges::find_if(variants, [&](const Variant& one) {
    return one.mapping == mapping && one.storage == storage;
  });
  return {paper_format_name, block_size, order, found->name};
}

PaperSpmv paper_choice(const Layout& layout, const PaperThreads& threads) {
  const auto found = std::ranges::find(variants, layout.variant, &Variant::name);
  if (layout.format != paper_format_name || found == variants.end()) {
    throw Error("layout '" + to_string(layout) + "' is none of the paper's mappings");
  }
  return {found->mapping, found->storage, threads.threads_per_block, threads.blocks_at_once};
}

}  // namespace sparsecast
