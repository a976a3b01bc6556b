#pragma once

#include "core/formats/registry.hpp"

namespace sparsecast {

/// Whether a layout is one for comparisons, which nobody looks at unasked: its format has no
/// `Format::may_pay`. Throws like `format_of`.
inline bool is_for_comparisons(const Layout& layout) {
  return format_of(layout).may_pay == nullptr;
}

}  // namespace sparsecast
