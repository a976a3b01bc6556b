#include "core/base/archives/zstd.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// Frames of Zstandard, each of blocks that repeat one byte (RFC 8878, 3.1.1): no compressor makes
/// anything as small.
std::string repeated(char byte, int blocks) {
  constexpr unsigned block_bytes = 128 << 10;
  std::string frame("\x28\xb5\x2f\xfd\x00\x58", 6);  // a window of 2 MB, no size, no checksum
  for (int k = 0; k < blocks; ++k) {
    const unsigned header = block_bytes << 3 | 1u << 1 | (k + 1 == blocks ? 1u : 0u);
    for (int shift = 0; shift < 24; shift += 8) frame += static_cast<char>(header >> shift);
    frame += byte;
  }
  return frame;
}

std::string decompressed(const std::string& compressed) {
  const MemoryBytes bytes(compressed);
  ZstdReader reader(bytes);
  std::string text;
  std::array<char, 1 << 16> piece{};
  while (const std::size_t more = reader.read(piece.data(), piece.size())) {
    text.append(piece.data(), more);
  }
  return text;
}

TEST(Zstd, ReadsOneFrameAfterTheOther) {
  const std::string text = decompressed(repeated('a', 1) + repeated('b', 2));
  EXPECT_EQ(text, std::string(1 << 17, 'a') + std::string(1 << 18, 'b'));
}

TEST(Zstd, RefusesWhatExpandsWithoutBound) {
  EXPECT_EQ(refusal_of([] { decompressed(repeated('\n', 2000)); }),
            "the zstd data expands to more than 1032 times its size; expected a matrix");
}

TEST(Zstd, SaysThatItIsTruncatedOrDamaged) {
  const std::string frame = repeated('a', 3);
  EXPECT_EQ(refusal_of([&] { decompressed(frame.substr(0, frame.size() - 2)); }),
            "the zstd data is truncated; expected its end");
  EXPECT_EQ(refusal_of([&] { decompressed(frame + "no frame"); }),
            "the zstd data is damaged (no frame begins where one must); expected an intact file");
}

TEST(Zstd, PassesOverFramesThatAreNoData) {
  const std::string skipped("\x5a\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  EXPECT_EQ(decompressed(skipped + repeated('a', 1) + skipped), std::string(1 << 17, 'a'));
}

/// A library may read those too, and take a window as large as they say.
TEST(Zstd, RefusesFramesOfOlderVersions) {
  const std::string one_byte("\x28\xb5\x2f\xfd\x00\x00\x09\x00\x00z", 10);
  EXPECT_EQ(decompressed(one_byte), "z");
  const std::string older("\x27\xb5\x2f\xfd\x00\x86\xb5\x68\x0a\xa7\x34", 11);
  EXPECT_EQ(refusal_of([&] { decompressed(one_byte + older); }),
            "the zstd data is damaged (no frame begins where one must); expected an intact file");
}

TEST(Zstd, RefusesAWindowThatASmallFileCannotFill) {
  std::string frame = repeated('a', 1);
  for (const int descriptor : {0x80, 0x88}) {  // 64 and 128 MB
    frame[5] = static_cast<char>(descriptor);
    EXPECT_TRUE(refusal_of([&] {
                  decompressed(frame);
                }).starts_with("the zstd data needs a window of more than 128 MB"));
  }
  frame[5] = 0x78;  // 32 MB
  EXPECT_EQ(decompressed(frame), std::string(1 << 17, 'a'));
}

}  // namespace
}  // namespace sparsecast
