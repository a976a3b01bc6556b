#include "core/base/archives/deflate.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "core/refusal.hpp"

namespace sparsecast {
namespace {

std::string zlib_data(const std::string& text) {
  std::string data(compressBound(text.size()), '\0');
  uLongf size = data.size();
  compress(reinterpret_cast<Bytef*>(data.data()), &size,
           reinterpret_cast<const Bytef*>(text.data()), text.size());
  data.resize(size);
  return data;
}

std::string inflated(const std::string& data, std::size_t size) {
  std::string out(size, 'x');
  inflate_zlib(data, out);
  return out;
}

TEST(Deflate, GivesExactlyTheSizeThatIsAskedFor) {
  const std::string text(1000, 'a');
  const std::string data = zlib_data(text);
  EXPECT_EQ(inflated(data, 1000), text);
  EXPECT_EQ(refusal_of([&] { inflated(data, 1001); }),
            "the compressed data holds less than its header says; expected 1001 bytes");
  EXPECT_EQ(refusal_of([&] { inflated(data, 999); }),
            "the compressed data holds more than its header says; expected 999 bytes");
  EXPECT_EQ(refusal_of([&] { inflated(data + "x", 1000); }),
            "bytes follow the compressed data; expected its end");
}

TEST(Deflate, GivesTheBeginningOfDataThatAreNotWhole) {
  const std::string data = zlib_data("beginning" + std::string(100'000, 'a'));
  EXPECT_EQ(beginning_of_zlib(data.substr(0, data.size() / 2), 9), "beginning");
  EXPECT_EQ(refusal_of([] { beginning_of_zlib("no zlib data", 9); }),
            "the compressed data is damaged; expected an intact file");
}

}  // namespace
}  // namespace sparsecast
