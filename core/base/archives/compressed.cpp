#include "core/base/archives/compressed.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/base/archives/gzip.hpp"
#include "core/base/archives/zstd.hpp"

namespace sparsecast {
namespace {

std::string magic_of(const ByteSource& data) {
  constexpr std::size_t magic_bytes = 4;
  Buffer<char> scratch;
  return std::string(data.view(0, std::min(data.size(), magic_bytes), scratch));
}

}  // namespace

bool is_compressed(const ByteSource& data) {
  const std::string magic = magic_of(data);
  return is_gzip(magic) || is_zstd(magic);
}

std::unique_ptr<ByteStream> open_compressed(const ByteSource& compressed) {
  if (is_zstd(magic_of(compressed))) return std::make_unique<ZstdReader>(compressed);
  return std::make_unique<GzipReader>(compressed);
}

}  // namespace sparsecast
