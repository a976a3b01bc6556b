#include "core/base/text/short_number.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace sparsecast {

std::string short_number(double number, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, number);
  return text.data();
}

std::string short_bytes(double bytes) {
  constexpr std::array<std::pair<double, const char*>, 3> units{
      {{1e12, " TB"}, {1e9, " GB"}, {1e6, " MB"}}};
  for (const auto& [size, name] : units) {
    if (bytes >= size) return short_number(bytes / size) + name;
  }
  return short_number(bytes / 1e3) + " kB";
}

}  // namespace sparsecast
