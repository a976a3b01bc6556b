#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace sparsecast {

/// Does the data start like a gzip file?
bool is_gzip(std::string_view data);

/// The most that one byte of gzip data can decompress to (a limit of the DEFLATE format).
inline constexpr std::size_t largest_gzip_ratio = 1032;

/// Decompresses gzip data piece by piece, one member after the other, in constant memory.
class GzipReader {
 public:
  explicit GzipReader(std::string_view compressed);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// Writes the next bytes, up to `size` of them, and returns how many; 0 at the end. Everything
  /// that can be decompressed is delivered first; then truncated or damaged data, a wrong checksum
  /// or bytes after the end throw `Error` ("what; what was expected", without a file name).
  std::size_t read(char* out, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Compresses text as one gzip member; members may be concatenated.
std::string gzip_member(std::string_view text);

}  // namespace sparsecast
