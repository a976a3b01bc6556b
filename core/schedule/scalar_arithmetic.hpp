#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/host_device.hpp"

/// @file
/// The arithmetic of scalars, the same for every back end: also compiled for GPUs.

namespace sparsecast {

/// What an assignment does. Comparisons and `logical_not` give 1 or 0, comparisons with a NaN 0;
/// what is not 0 holds, a NaN too.
enum class ScalarOperation : std::int16_t {
  copy,                  ///< target = a
  divide,                ///< target = a / b
  square_root,           ///< target = sqrt(a)
  minimum,               ///< target = a < b ? a : b
  count_unless_smaller,  ///< target = a < b ? 0 : target + 1
  add,                   ///< target = a + b
  subtract,              ///< target = a - b
  multiply,              ///< target = a * b
  negate,                ///< target = -a
  absolute,              ///< target = |a|
  maximum,               ///< target = a > b ? a : b
  hypot,                 ///< target = sqrt(a^2 + b^2), without overflow in between
  floor,                 ///< target = the largest integer that is not above a
  less,                  ///< target = a < b
  less_equal,            ///< target = a <= b
  equal,                 ///< target = a == b
  logical_not,           ///< target = a == 0
  select                 ///< target = a != 0 ? b : c
};

/// How many of a, b, c the operation has.
SPARSECAST_HOST_DEVICE constexpr int operand_count(ScalarOperation operation) {
  switch (operation) {
    case ScalarOperation::copy:
    case ScalarOperation::square_root:
    case ScalarOperation::negate:
    case ScalarOperation::absolute:
    case ScalarOperation::floor:
    case ScalarOperation::logical_not:
      return 1;
    case ScalarOperation::select:
      return 3;
    default:
      return 2;
  }
}

/// What the target becomes that was `target` before; operands that the operation does not have are
/// not read.
template <class Real>
SPARSECAST_HOST_DEVICE inline Real scalar_result(ScalarOperation operation, Real target, Real a,
                                                 Real b, Real c) {
  switch (operation) {
    case ScalarOperation::copy:
      return a;
    case ScalarOperation::divide:
      return a / b;
    case ScalarOperation::square_root:
      return std::sqrt(a);
    case ScalarOperation::minimum:
      return a < b ? a : b;
    case ScalarOperation::count_unless_smaller:
      return a < b ? Real{0} : target + 1;
    case ScalarOperation::add:
      return a + b;
    case ScalarOperation::subtract:
      return a - b;
    case ScalarOperation::multiply:
      return a * b;
    case ScalarOperation::negate:
      return -a;
    case ScalarOperation::absolute:
      return std::fabs(a);
    case ScalarOperation::maximum:
      return a > b ? a : b;
    case ScalarOperation::hypot:
      return std::hypot(a, b);
    case ScalarOperation::floor:
      return std::floor(a);
    case ScalarOperation::less:
      return a < b ? Real{1} : Real{0};
    case ScalarOperation::less_equal:
      return a <= b ? Real{1} : Real{0};
    case ScalarOperation::equal:
      return a == b ? Real{1} : Real{0};
    case ScalarOperation::logical_not:
      return a == 0 ? Real{1} : Real{0};
    case ScalarOperation::select:
      return a != 0 ? b : c;
  }
  return target;
}

}  // namespace sparsecast
