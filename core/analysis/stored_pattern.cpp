#include "core/analysis/stored_pattern.hpp"

#include "core/formats/registry.hpp"

namespace sparsecast {

AccessPattern stored_pattern(const MatrixAccess& access, const SegmentShape& shape,
                             const Layout& layout, Precision precision) {
  const Format& format = format_of(layout);
  AccessPattern pattern = access.pattern(layout, precision);
  return format.pattern == nullptr ? pattern : format.pattern(pattern, shape);
}

}  // namespace sparsecast
