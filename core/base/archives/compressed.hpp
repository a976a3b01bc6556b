#pragma once

#include <memory>

#include "core/base/archives/byte_stream.hpp"
#include "core/base/files/byte_source.hpp"

namespace sparsecast {

/// Does the data start like compressed data that is read: gzip or zstd?
bool is_compressed(const ByteSource& data);

/// What compressed data, which must outlive it, holds, piece by piece. Their first bytes tell how
/// they are compressed.
std::unique_ptr<ByteStream> open_compressed(const ByteSource& compressed);

}  // namespace sparsecast
