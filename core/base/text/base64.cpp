#include "core/base/text/base64.hpp"

#include <cstdint>

namespace sparsecast {

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t begin = 0; begin < bytes.size(); begin += 3) {
    const std::string_view three = bytes.substr(begin, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < three.size() ? static_cast<unsigned char>(three[k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= three.size() ? digits[bits >> (18 - 6 * k) & 63u] : '=';
    }
  }
  return text;
}

}  // namespace sparsecast
