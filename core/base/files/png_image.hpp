#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sparsecast {

/// A picture in black on nothing as a PNG file's bytes: `opacity` has a pixel each, 0 (nothing) to
/// 255 (black), row by row from the top, `width` of them a row. Throws `Error` for an empty picture
/// and a last row that is not full.
std::string png_image(std::span<const std::uint8_t> opacity, int width);

}  // namespace sparsecast
