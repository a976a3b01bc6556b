#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// @file
/// DEFLATE data (RFC 1951) whose size is known beforehand, at once. All throw `Error` ("what; what
/// was expected", without a file name).

namespace sparsecast {

/// Decompresses bare DEFLATE data, as in zip archives. It must give exactly `out.size()` bytes.
void inflate_bare(std::string_view compressed, std::span<char> out);

/// The same of data in a zlib envelope (RFC 1950), whose checksum is checked. Bytes behind it are
/// refused.
void inflate_zlib(std::string_view compressed, std::span<char> out);

/// The first `size` bytes, or all, of bare DEFLATE data and of data in a zlib envelope.
std::string beginning_of_bare(std::string_view compressed, std::size_t size);
std::string beginning_of_zlib(std::string_view compressed, std::size_t size);

/// The checksum of zip and gzip.
std::uint32_t crc32_of(std::string_view data);

}  // namespace sparsecast
