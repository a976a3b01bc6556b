#include "core/base/archives/compressed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/archives/gzip.hpp"
#include "core/base/archives/packed.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

/// Bytes that know the most that was asked of them at once. As of a file, what they gave is gone
/// when more is asked for.
class WatchedBytes : public ByteSource {
 public:
  explicit WatchedBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  std::size_t size() const override { return bytes_.size(); }
  std::string_view view(std::size_t begin, std::size_t end, Buffer<char>& scratch) const override {
    most_ = std::max(most_, end - begin);
    scratch.assign(bytes_.begin() + static_cast<std::ptrdiff_t>(begin),
                   bytes_.begin() + static_cast<std::ptrdiff_t>(end));
    return {scratch.data(), scratch.size()};
  }
  std::size_t most() const { return most_; }

 private:
  std::string bytes_;
  mutable std::size_t most_ = 0;
};

/// A text that hardly becomes smaller.
std::string random_text(std::size_t size) {
  std::mt19937 random(41);
  std::printf("seed 41\n");
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random() >> 8);
  return text;
}

std::string decompressed(const ByteSource& compressed) {
  return read_all(*open_compressed(compressed), std::size_t{1} << 24, "a test");
}

std::string gzip_member_of(const std::string& text) {
  return gzip_member(text);
}

/// With a name of so many characters in the header (RFC 1952).
std::string named_member(const std::string& text, std::size_t name) {
  std::string member = gzip_member(text);
  member[3] = 8;
  return member.insert(10, std::string(name, 'n') + '\0');
}

TEST(Compressed, IsReadInPieces) {
  const std::string text = random_text(3'000'000);
  for (const std::string& bytes :
       {gzip_member(text), zstd_frame(text), gzip_member(text) + gzip_member(text),
        zstd_frame(text) + zstd_frame(text)}) {
    const WatchedBytes compressed(bytes);
    ASSERT_TRUE(is_compressed(compressed));
    EXPECT_EQ(decompressed(compressed), bytes.size() < 4'000'000 ? text : text + text);
    EXPECT_LE(compressed.most(), std::size_t{256} << 10);
  }
}

TEST(Compressed, EndsAnywhereInAPiece) {
  const std::string text = random_text(600'000);
  constexpr std::size_t piece = 256 << 10;
  for (const auto& compress : {gzip_member_of, zstd_frame}) {
    const std::size_t added = compress(text.substr(0, piece - 40)).size() - (piece - 40);
    // The end of the first member or frame lies at, before and behind that of the first piece.
    for (std::size_t end = piece - 12; end <= piece + 12; ++end) {
      const std::string first = text.substr(0, end - added);
      const std::string compressed = compress(first);
      ASSERT_EQ(compressed.size(), end);
      EXPECT_EQ(decompressed(WatchedBytes(compressed + compress(text))), first + text);
    }
  }
}

TEST(Compressed, MayHaveALongNameInItsHeader) {
  EXPECT_EQ(decompressed(WatchedBytes(named_member("text", 700'000))), "text");
  const std::string member = named_member("text", 700'000);
  EXPECT_EQ(refusal_of([&] { decompressed(WatchedBytes(member.substr(0, 500'000))); }),
            "the gzip data is truncated; expected its end with a checksum");
}

}  // namespace
}  // namespace sparsecast
