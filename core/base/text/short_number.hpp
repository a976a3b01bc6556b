#pragma once

#include <string>

namespace sparsecast {

/// A number for a sentence, with so many significant digits at most: "1.38", "2e+09".
std::string short_number(double number, int digits = 3);

/// The same of bytes, in the decimal unit that fits: "512 MB", "8.05 TB".
std::string short_bytes(double bytes);

}  // namespace sparsecast
