#pragma once

#include <string>
#include <string_view>

/// @file
/// Fields of text files: how numbers are written, and how a field is taken apart.

namespace sparsecast {

/// The shortest text that reads back as the same number ("0.1", "1e+300", "inf").
std::string number_text(double number);

/// Takes what stands before the next separator off the front of `text`, and the separator with it;
/// all of it where there is none.
std::string_view take_until(std::string_view& text, char separator);

}  // namespace sparsecast
