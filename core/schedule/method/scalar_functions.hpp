#pragma once

#include <array>
#include <string_view>

#include "core/schedule/scalar_arithmetic.hpp"

/// @file
/// The functions of scalars, by the operations that carry them out.

namespace sparsecast {

struct ScalarFunction {
  std::string_view name;
  ScalarOperation operation;
};

inline constexpr std::array<ScalarFunction, 7> scalar_function_table = {
    {{"sqrt", ScalarOperation::square_root},
     {"abs", ScalarOperation::absolute},
     {"min", ScalarOperation::minimum},
     {"max", ScalarOperation::maximum},
     {"hypot", ScalarOperation::hypot},
     {"floor", ScalarOperation::floor},
     {"select", ScalarOperation::select}}};

/// Null for one that there is not.
constexpr const ScalarFunction* find_scalar_function(std::string_view name) {
  for (const ScalarFunction& function : scalar_function_table) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace sparsecast
