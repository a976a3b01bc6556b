#pragma once

#include <string>

namespace sparsecast {

/// A number for a sentence, with so many significant digits at most: "1.38", "2e+09".
std::string short_number(double number, int digits = 3);

}  // namespace sparsecast
