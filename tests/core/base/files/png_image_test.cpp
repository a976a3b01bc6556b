#include "core/base/files/png_image.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/refusal.hpp"

namespace sparsecast {
namespace {

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t k = 0; k < 4; ++k)
    number = number << 8 | static_cast<unsigned char>(bytes[at + k]);
  return number;
}

/// The chunks of a file by their types, with checked sums.
std::map<std::string, std::string> chunks_of(const std::string& png) {
  std::map<std::string, std::string> chunks;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t size = number_at(png, at);
    const std::string body = png.substr(at + 4, size + 4);
    EXPECT_EQ(number_at(png, at + 8 + size),
              crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size()));
    chunks[body.substr(0, 4)] = body.substr(4);
    at += size + 12;
  }
  return chunks;
}

TEST(PngImage, HoldsItsPixelsRowByRow) {
  const std::vector<std::uint8_t> opacity{0, 10, 255, 7, 8, 9};

  const std::string png = png_image(opacity, 3);

  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  const auto chunks = chunks_of(png);
  ASSERT_TRUE(chunks.contains("IHDR") && chunks.contains("IDAT") && chunks.contains("IEND"));
  EXPECT_EQ(number_at(chunks.at("IHDR"), 0), 3u);
  EXPECT_EQ(number_at(chunks.at("IHDR"), 4), 2u);
  std::string pixels(14, '?');
  uLongf size = pixels.size();
  const std::string& data = chunks.at("IDAT");
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(pixels.data()), &size,
                       reinterpret_cast<const Bytef*>(data.data()), data.size()),
            Z_OK);
  EXPECT_EQ(pixels, std::string("\0\0\0\0\x0a\0\xff\0\0\x07\0\x08\0\x09", 14));
}

TEST(PngImage, RefusesRowsThatAreNotFull) {
  const std::vector<std::uint8_t> opacity(5, 1);

  EXPECT_EQ(refusal_of([&] { png_image(opacity, 3); }), "picture: 5 pixels in rows of 3");
  EXPECT_EQ(refusal_of([&] { png_image({}, 1); }), "picture: 0 pixels in rows of 1");
}

}  // namespace
}  // namespace sparsecast
