#pragma once

#include <cstddef>
#include <string>

namespace sparsecast {

/// Bytes that come one after the other: what is compressed, or a member of an archive.
class ByteStream {
 public:
  ByteStream() = default;
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Writes the next bytes, up to `size` of them, and returns how many; 0 at the end. Everything
  /// before a damage is delivered first; then it throws `Error` ("what; what was expected", without
  /// a file name).
  virtual std::size_t read(char* out, std::size_t size) = 0;
};

/// The next bytes, `size` of them or all that there are. What is damaged ends them.
std::string beginning_of(ByteStream& stream, std::size_t size);

/// All that remains, at most `most` bytes: more throws `Error`, as do damaged data. `what` is what
/// the bytes are, for messages: "the text".
std::string read_all(ByteStream& stream, std::size_t most, const std::string& what);

}  // namespace sparsecast
