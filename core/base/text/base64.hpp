#pragma once

#include <string>
#include <string_view>

namespace sparsecast {

/// Bytes as text (RFC 4648, with padding, on one line), for data: URIs.
std::string base64(std::string_view bytes);

}  // namespace sparsecast
