#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sparsecast {

/// The number of type T whose bytes begin at `at`, in the given order.
template <class T>
T number_at(const char* at, std::endian order) {
  static_assert(std::is_arithmetic_v<T>);
  using Bits = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  static_assert(sizeof(T) == sizeof(Bits));
  Bits bits;
  std::memcpy(&bits, at, sizeof(bits));
  if (order != std::endian::native) {
    if constexpr (sizeof(T) == 2) bits = __builtin_bswap16(bits);
    if constexpr (sizeof(T) == 4) bits = __builtin_bswap32(bits);
    if constexpr (sizeof(T) == 8) bits = __builtin_bswap64(bits);
  }
  return std::bit_cast<T>(bits);
}

}  // namespace sparsecast
