#pragma once

#include <vector>

#include "core/formats/registry.hpp"

namespace sparsecast {

/// All layouts that the CPU has products of.
inline std::vector<Layout> cpu_layouts() {
  std::vector<Layout> layouts = all_layouts();
  std::erase_if(layouts, [](const Layout& layout) { return !has_cpu_products(layout); });
  return layouts;
}

}  // namespace sparsecast
