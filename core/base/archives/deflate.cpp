#include "core/base/archives/deflate.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

#include "core/base/error.hpp"

namespace sparsecast {
namespace {

using Decompressor =
    std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>;

Decompressor make_decompressor() {
  Decompressor decompressor(libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  return decompressor;
}

void check(libdeflate_result result, std::size_t expected) {
  switch (result) {
    case LIBDEFLATE_SUCCESS:
      return;
    case LIBDEFLATE_SHORT_OUTPUT:
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      throw Error(std::string("the compressed data holds ") +
                  (result == LIBDEFLATE_SHORT_OUTPUT ? "less" : "more") +
                  " than its header says; expected " + std::to_string(expected) + " bytes");
    case LIBDEFLATE_BAD_DATA:
      break;
  }
  throw Error("the compressed data is damaged; expected an intact file");
}

/// `window`: zlib's way to say what is around the data.
std::string beginning(std::string_view compressed, std::size_t size, int window) {
  struct Stream {
    z_stream z{};
    explicit Stream(int window_bits) {
      if (inflateInit2(&z, window_bits) != Z_OK) throw std::bad_alloc();
    }
    ~Stream() { inflateEnd(&z); }
  } stream(window);
  constexpr std::size_t largest = std::numeric_limits<uInt>::max() / 2;
  std::string bytes(std::min(size, largest), '\0');
  stream.z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.z.avail_in = static_cast<uInt>(std::min(compressed.size(), largest));
  stream.z.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.z.avail_out = static_cast<uInt>(bytes.size());
  const int result = inflate(&stream.z, Z_SYNC_FLUSH);
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
    throw Error("the compressed data is damaged; expected an intact file");
  }
  bytes.resize(bytes.size() - stream.z.avail_out);
  return bytes;
}

}  // namespace

void inflate_bare(std::string_view compressed, std::span<char> out) {
  const Decompressor decompressor = make_decompressor();
  std::size_t used = 0;
  check(libdeflate_deflate_decompress_ex(decompressor.get(), compressed.data(), compressed.size(),
                                         out.data(), out.size(), &used, nullptr),
        out.size());
  if (used != compressed.size()) {
    throw Error("bytes follow the compressed data; expected its end");
  }
}

void inflate_zlib(std::string_view compressed, std::span<char> out) {
  const Decompressor decompressor = make_decompressor();
  std::size_t used = 0;
  check(libdeflate_zlib_decompress_ex(decompressor.get(), compressed.data(), compressed.size(),
                                      out.data(), out.size(), &used, nullptr),
        out.size());
  if (used != compressed.size()) {
    throw Error("bytes follow the compressed data; expected its end");
  }
}

std::string beginning_of_bare(std::string_view compressed, std::size_t size) {
  return beginning(compressed, size, -MAX_WBITS);
}

std::string beginning_of_zlib(std::string_view compressed, std::size_t size) {
  return beginning(compressed, size, MAX_WBITS);
}

std::uint32_t crc32_of(std::string_view data) {
  return libdeflate_crc32(0, data.data(), data.size());
}

}  // namespace sparsecast
