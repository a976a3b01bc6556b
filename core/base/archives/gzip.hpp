#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/archives/byte_stream.hpp"
#include "core/base/files/byte_source.hpp"

namespace sparsecast {

/// Does the data start like a gzip file?
bool is_gzip(std::string_view data);

/// The most that one byte of gzip data can decompress to (a limit of the DEFLATE format).
inline constexpr std::size_t largest_gzip_ratio = 1032;

/// Decompresses gzip data piece by piece, one member after the other, in constant memory:
/// the compressed data too comes in pieces.
class GzipReader : public ByteStream {
 public:
  /// Of data that must outlive it.
  explicit GzipReader(const ByteSource& compressed);
  ~GzipReader() override;

  /// Truncated or damaged data, a wrong checksum and bytes after the end are damages.
  std::size_t read(char* out, std::size_t size) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Compresses text as one gzip member; members may be concatenated.
std::string gzip_member(std::string_view text);

}  // namespace sparsecast
