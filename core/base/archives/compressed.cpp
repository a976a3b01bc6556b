#include "core/base/archives/compressed.hpp"

#include "core/base/archives/gzip.hpp"
#include "core/base/archives/zstd.hpp"

namespace sparsecast {

bool is_compressed(std::string_view data) {
  return is_gzip(data) || is_zstd(data);
}

std::unique_ptr<ByteStream> open_compressed(std::string_view compressed) {
  if (is_zstd(compressed)) return std::make_unique<ZstdReader>(compressed);
  return std::make_unique<GzipReader>(compressed);
}

}  // namespace sparsecast
