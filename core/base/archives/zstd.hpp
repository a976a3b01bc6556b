#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "core/base/archives/byte_stream.hpp"
#include "core/base/files/byte_source.hpp"

namespace sparsecast {

/// Does the data start like a Zstandard file (RFC 8878)?
bool is_zstd(std::string_view data);

/// Decompresses Zstandard data piece by piece, one frame after the other, in the memory of a
/// frame's window: at most 32 MB, or 128 MB where the file is so large that its text fills them.
/// The format knows no largest ratio; more than that of gzip (`largest_gzip_ratio`) and 64 MB are
/// refused.
class ZstdReader : public ByteStream {
 public:
  /// Of data that must outlive it.
  explicit ZstdReader(const ByteSource& compressed);
  ~ZstdReader() override;

  std::size_t read(char* out, std::size_t size) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sparsecast
