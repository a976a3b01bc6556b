#pragma once

#include "core/schedule/operands.hpp"

namespace sparsecast {

/// Comparison of two scalar slots; false whenever one of them is NaN.
enum class Comparison { less, less_equal };
struct ScalarTest {
  ScalarSlot a = -1;
  Comparison comparison = Comparison::less;
  ScalarSlot b = -1;

  friend bool operator==(const ScalarTest&, const ScalarTest&) = default;
};

}  // namespace sparsecast
