#pragma once

#include <memory>
#include <string_view>

#include "core/base/archives/byte_stream.hpp"

namespace sparsecast {

/// Does the data start like compressed data that is read: gzip or zstd?
bool is_compressed(std::string_view data);

/// What compressed data holds, piece by piece. Their first bytes tell how they are compressed.
std::unique_ptr<ByteStream> open_compressed(std::string_view compressed);

}  // namespace sparsecast
