#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/archives/byte_stream.hpp"
#include "core/base/buffer.hpp"

/// @file
/// The lines of a Matrix Market file that comes compressed or in an archive. Used by the readers.

namespace sparsecast {

/// Text that comes bit by bit, in blocks of whole lines, each with its end.
class StreamedLines {
 public:
  /// Of a stream that must outlive what is called here.
  explicit StreamedLines(ByteStream& text) : text_(text) {}

  /// From now on the text may take what so many entries may, and what is spared for comments.
  /// Before that it may take what is spared for comments and a header.
  void allow_entries(std::int64_t entries);

  /// Fills the next block; leaves it empty at the end or where the data is damaged.
  void next(Buffer<char>& block);

  /// Reads what is left. What is wrong there is not said: it is for whoever wants it.
  void skip_rest();

  /// Why the data ended early, if it did.
  const std::optional<std::string>& error() const { return error_; }

  /// After a malformed line: is it the compressed data that is damaged? Looks a limited way ahead.
  void check_rest();

 private:
  std::size_t read(char* out, std::size_t size);

  static constexpr std::uint64_t spared_bytes = std::uint64_t{64} << 20;

  ByteStream& text_;
  std::uint64_t allowed_ = spared_bytes;
  std::string carry_;
  std::optional<std::string> error_;
};

}  // namespace sparsecast
