#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace sparsecast {

/// The floating-point type of matrix and vector values.
enum class Precision { f32, f64 };

/// Bytes of one value (the `s` of equation 7: `T = s*m/B(m)`).
constexpr std::size_t bytes_per_value(Precision precision) {
  return precision == Precision::f32 ? 4 : 8;
}

/// "f32" or "f64".
constexpr std::string_view to_string(Precision precision) {
  return precision == Precision::f32 ? "f32" : "f64";
}

/// The precision of a C++ value type.
template <class T>
constexpr Precision precision_of() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  return std::is_same_v<T, float> ? Precision::f32 : Precision::f64;
}

}  // namespace sparsecast
