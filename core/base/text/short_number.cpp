#include "core/base/text/short_number.hpp"

#include <array>
#include <cstdio>

namespace sparsecast {

std::string short_number(double number, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, number);
  return text.data();
}

}  // namespace sparsecast
