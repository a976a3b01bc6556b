#pragma once

#include <cstdint>

/// @file
/// Sizes in whole cache lines, so that no two threads write to one.

namespace sparsecast {

inline constexpr std::int64_t cache_line_bytes = 64;

/// Values of a type that a cache line holds.
template <class T>
inline constexpr std::int64_t values_per_line = cache_line_bytes / std::int64_t{sizeof(T)};

}  // namespace sparsecast
