#include "core/base/text/hash.hpp"

namespace sparsecast {

std::uint64_t hash_of(std::string_view text, std::uint64_t start) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ start;
  for (const char each : text) {
    hash ^= static_cast<unsigned char>(each);
    hash *= 0x100000001b3u;
  }
  return hash;
}

std::string hexadecimal(std::uint64_t value) {
  std::string digits;
  for (int k = 15; k >= 0; --k) digits += "0123456789abcdef"[value >> (4 * k) & 15];
  return digits;
}

}  // namespace sparsecast
