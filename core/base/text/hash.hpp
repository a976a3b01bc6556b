#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sparsecast {

/// FNV-1a, from a start of one's own: with other starts it is another function.
std::uint64_t hash_of(std::string_view text, std::uint64_t start);

/// 16 digits.
std::string hexadecimal(std::uint64_t value);

}  // namespace sparsecast
