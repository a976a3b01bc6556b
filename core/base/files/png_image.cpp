#include "core/base/files/png_image.hpp"

#include <zlib.h>

#include <string_view>

#include "core/base/error.hpp"

namespace sparsecast {

namespace {

/// Most significant byte first.
std::string four_bytes(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xffu);
  return bytes;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  const uLong check = crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return four_bytes(static_cast<std::uint32_t>(data.size())) + body +
         four_bytes(static_cast<std::uint32_t>(check));
}

std::string compressed(const std::string& data) {
  std::string out(compressBound(static_cast<uLong>(data.size())), '\0');
  auto size = static_cast<uLongf>(out.size());
  const int status =
      compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(data.data()), static_cast<uLong>(data.size()), 9);
  if (status != Z_OK) throw Error("picture: cannot be compressed");
  out.resize(size);
  return out;
}

}  // namespace

std::string png_image(std::span<const std::uint8_t> opacity, int width) {
  if (width < 1 || opacity.empty() || opacity.size() % static_cast<std::size_t>(width) != 0) {
    throw Error("picture: " + std::to_string(opacity.size()) + " pixels in rows of " +
                std::to_string(width));
  }
  const std::size_t row = static_cast<std::size_t>(width);
  std::string pixels;
  for (std::size_t at = 0; at < opacity.size(); ++at) {
    if (at % row == 0) pixels += '\0';  // the row is not filtered
    pixels += '\0';                     // black
    pixels += static_cast<char>(opacity[at]);
  }
  constexpr char header[] = {8, 4, 0, 0, 0};  // bits; grey and opacity; no interlacing
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", four_bytes(static_cast<std::uint32_t>(width)) +
                           four_bytes(static_cast<std::uint32_t>(opacity.size() / row)) +
                           std::string(header, sizeof header)) +
         chunk("IDAT", compressed(pixels)) + chunk("IEND", "");
}

}  // namespace sparsecast
