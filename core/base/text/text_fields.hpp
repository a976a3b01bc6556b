#pragma once

#include <string>
#include <string_view>

/// @file
/// Fields of text files: how numbers are written, how a field is taken apart, and how a message
/// quotes one.

namespace sparsecast {

/// The shortest text that reads back as the same number ("0.1", "1e+300", "inf").
std::string number_text(double number);

/// Takes what stands before the next separator off the front of `text`, and the separator with it;
/// all of it where there is none.
std::string_view take_until(std::string_view& text, char separator);

/// A file's text for a message of one line: control characters as '?', and of a long text its
/// beginning (60 bytes at most, UTF-8 characters whole) and "...".
std::string brief(std::string_view text);

/// The same between apostrophes.
std::string in_quotes(std::string_view text);

}  // namespace sparsecast
