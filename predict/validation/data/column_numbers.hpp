#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

#include "core/base/error.hpp"

/// @file
/// Numbers in cells of raw data. All throw `Error` that says what was expected.

namespace sparsecast {

template <class Number>
Number parse_number(std::string_view text) {
  Number number{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size()) throw Error("expected a number");
  return number;
}

inline double parse_not_negative(std::string_view text) {
  const double number = parse_number<double>(text);
  if (!(number >= 0 && number < 1e300)) throw Error("expected a number that is not negative");
  return number;
}

inline double parse_positive(std::string_view text) {
  const double number = parse_number<double>(text);
  if (!(number > 0 && number < 1e300)) throw Error("expected a positive number");
  return number;
}

}  // namespace sparsecast
