#include "core/base/text/decimal.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <system_error>

namespace sparsecast {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// For a number whose double is out of range: is it beyond the largest, not below the smallest?
/// `digits` has at least one digit that is not 0.
bool is_large(std::string_view digits, std::int64_t exponent) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  const std::int64_t magnitude =
      static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  return magnitude + exponent > 0;
}

}  // namespace

DecimalStatus parse_decimal(std::string_view token, double& value) {
  std::string number = lower_case(token);
  std::size_t begin = 0;
  bool negative = false;
  if (!number.empty() && (number[0] == '+' || number[0] == '-')) {
    negative = number[0] == '-';
    begin = 1;
  }
  const std::string_view unsigned_part = std::string_view(number).substr(begin);
  for (const std::string_view name :
       {"nan", "inf", "infinity", "-nan", "nan(ind)", "1.#inf", "1.#ind", "1.#qnan"}) {
    if (unsigned_part == name) return DecimalStatus::not_finite;
  }

  // Digits and at most one point, then an exponent or nothing.
  std::size_t end = begin;
  int digit_count = 0;
  int points = 0;
  for (; end < number.size() && (is_digit(number[end]) || number[end] == '.'); ++end) {
    (number[end] == '.' ? points : digit_count) += 1;
  }
  if (digit_count == 0 || points > 1) return DecimalStatus::not_a_number;
  const std::string_view digits = std::string_view(number).substr(begin, end - begin);
  std::int64_t exponent = 0;
  if (end < number.size()) {
    if (number[end] != 'e' && number[end] != 'd') return DecimalStatus::not_a_number;
    number[end] = 'e';
    std::size_t at = end + 1;
    const bool below = at < number.size() && number[at] == '-';
    if (at < number.size() && (number[at] == '-' || number[at] == '+')) ++at;
    if (at == number.size()) return DecimalStatus::not_a_number;
    for (; at < number.size(); ++at) {
      if (!is_digit(number[at])) return DecimalStatus::not_a_number;
      exponent = std::min<std::int64_t>(10 * exponent + (number[at] - '0'), 1'000'000'000'000);
    }
    if (below) exponent = -exponent;
  }

  value = 0;
  if (digits.find_first_of("123456789") != std::string_view::npos) {
    const auto [last, error] =
        std::from_chars(number.data() + begin, number.data() + number.size(), value);
    if (error == std::errc::result_out_of_range) {
      if (is_large(digits, exponent)) return DecimalStatus::too_large;
      value = 0;
    } else if (error != std::errc() || last != number.data() + number.size()) {
      return DecimalStatus::not_a_number;
    }
  }
  if (negative) value = -value;
  return DecimalStatus::ok;
}

}  // namespace sparsecast
