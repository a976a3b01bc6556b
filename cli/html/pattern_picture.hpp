#pragma once

#include <cstdint>
#include <string>

#include "core/matrix/csr.hpp"

namespace sparsecast::cli {

/// Where the entries of a matrix are, as a PNG file's bytes: the more entries lie in a pixel's
/// share of rows and columns, the darker it is. A pixel a row where there are no more than
/// `most_pixels`. Throws `Error` for a matrix without rows or columns.
std::string pattern_picture(const PatternView& pattern, int most_pixels = 256);

}  // namespace sparsecast::cli
