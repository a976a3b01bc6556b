#pragma once

#include <cstdint>

namespace sparsecast {

/// The next multiple of a positive number.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace sparsecast
