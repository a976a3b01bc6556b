#include "core/formats/uncached/uncached.hpp"

#include "core/formats/registry.hpp"

namespace sparsecast {

bool loads_past_l1(const Layout& layout) {
  return layout.format == "uncached";
}

Layout cached_layout(const Layout& layout) {
  return parse_layout(layout.variant);
}

}  // namespace sparsecast
