#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/base/buffer.hpp"
#include "core/base/files/byte_source.hpp"

namespace sparsecast {

/// Bytes that lie somewhere, read once from the first to the last, with a look ahead. Of a file a
/// piece at a time is in memory.
class SourceWindow {
 public:
  /// Of bytes that must outlive it.
  explicit SourceWindow(const ByteSource& source) : source_(source) {}

  /// Bytes that are not yet passed over.
  std::size_t left() const { return source_.size() - at_; }

  /// The next bytes, at least `wanted` of them or all that are left; valid until the next call.
  /// Throws like `ByteSource::view`.
  std::string_view next(std::size_t wanted) {
    if (window_.size() < std::min(wanted, left())) {
      window_ = {};
      window_ = source_.view(at_, at_ + std::min(std::max(wanted, piece_bytes), left()), scratch_);
    }
    return window_;
  }

  /// Passes over bytes of those that `next` gave.
  void skip(std::size_t count) {
    window_.remove_prefix(count);
    at_ += count;
  }

 private:
  static constexpr std::size_t piece_bytes = std::size_t{256} << 10;

  const ByteSource& source_;
  std::size_t at_ = 0;
  std::string_view window_;
  Buffer<char> scratch_;
};

}  // namespace sparsecast
