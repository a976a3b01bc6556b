#pragma once

#include <algorithm>
#include <cstddef>

#include "core/base/archives/byte_stream.hpp"
#include "core/base/files/byte_source.hpp"

namespace sparsecast {

/// Bytes that lie somewhere, one after the other.
class SourceStream : public ByteStream {
 public:
  explicit SourceStream(const ByteSource& source) : source_(source) {}
  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = std::min(size, source_.size() - at_);
    const std::string_view bytes = source_.view(at_, at_ + count, scratch_);
    std::copy(bytes.begin(), bytes.end(), out);
    at_ += count;
    return count;
  }

 private:
  const ByteSource& source_;
  std::size_t at_ = 0;
  Buffer<char> scratch_;
};

}  // namespace sparsecast
