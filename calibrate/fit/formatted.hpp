#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace sparsecast {

/// What `printf` would print; at most 399 characters of it.
std::string formatted(const char* format, auto... arguments) {
  std::array<char, 400> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, arguments...);
  return buffer.data();
}

}  // namespace sparsecast
