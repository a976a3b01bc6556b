#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Words and whole numbers in the text of matrix files, and how messages quote them.

namespace sparsecast {

/// Blanks between the columns of a line; a carriage return at its end is one of them.
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// What stands between blanks.
std::vector<std::string_view> split_words(std::string_view line);

/// A piece of the file for a message: one line, printable, short.
std::string quote(std::string_view text);

std::string lower_case(std::string_view text);

/// "1 entry", "2 entries".
std::string number_of(std::int64_t count, const char* singular, const char* plural);

enum class WholeNumber { ok, not_a_number, too_large };

/// Reads a whole token, with a sign or without.
WholeNumber parse_whole(std::string_view token, std::int64_t& value);

}  // namespace sparsecast
