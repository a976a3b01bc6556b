#include "core/formats/refused_name.hpp"

namespace sparsecast {

std::string refused_name(const Layout& layout) {
  return "layout " + to_string(Layout{.format = layout.format, .variant = layout.variant});
}

}  // namespace sparsecast
