#include "core/matrix/files/harwell_boeing/fortran_format.hpp"

#include <charconv>

#include "core/base/error.hpp"
#include "core/base/text/decimal.hpp"
#include "core/matrix/files/text_tokens.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t longest_line = 1024;

/// The text of a format, without blanks and in lower case, piece by piece.
class FormatText {
 public:
  explicit FormatText(std::string_view text) : whole_(text) {
    for (const char c : lower_case(text)) {
      if (!is_blank(c)) rest_ += c;
    }
  }
  [[noreturn]] void fail() const {
    throw Error("the format " + quote(whole_) +
                " is not understood; expected one like (16I5) or (4E20.12)");
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.erase(0, 1);
    return true;
  }
  void require(char c) {
    if (!take(c)) fail();
  }
  /// Digits; -1 where there are none.
  int number() {
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::invalid_argument) return -1;
    if (error != std::errc() || value < 0 || value > longest_line) fail();
    rest_.erase(0, static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  bool at_end() const { return rest_.empty(); }
  char front() const { return rest_.empty() ? '\0' : rest_.front(); }

 private:
  std::string_view whole_;
  std::string rest_;
};

/// "4e20.12" behind its repeat count, or "(...)" behind it; returns numbers a line.
void parse_item(FormatText& text, FortranFormat& format, int depth) {
  constexpr int deepest = 3;
  if (depth > deepest) text.fail();
  const bool negative = text.take('-');
  int repeat = text.number();
  if (text.take('p')) {
    if (repeat < 0) text.fail();
    format.scale = negative ? -repeat : repeat;
    text.take(',');
    return parse_item(text, format, depth + 1);
  }
  if (negative || repeat == 0) text.fail();
  if (repeat < 0) repeat = 1;
  format.per_line *= repeat;
  if (format.per_line > longest_line) text.fail();
  if (text.take('(')) {
    parse_item(text, format, depth + 1);
    text.require(')');
    return;
  }
  const char kind = text.front();
  if (!text.take('i') && !text.take('e') && !text.take('d') && !text.take('f') && !text.take('g')) {
    text.fail();
  }
  format.kind = kind == 'i' ? FortranFormat::Kind::integer : FortranFormat::Kind::real;
  const int width = text.number();
  if (width < 1) text.fail();
  format.width = static_cast<std::size_t>(width);
  if (text.take('.')) {
    format.digits = text.number();
    if (format.digits < 0) text.fail();
    if (kind != 'i' && (text.take('e') || text.take('d')) && text.number() < 0) text.fail();
  }
}

std::string_view without_blanks_around(std::string_view field) {
  while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  return field;
}

}  // namespace

FortranFormat parse_fortran_format(std::string_view whole) {
  FormatText text(whole);
  FortranFormat format;
  format.per_line = 1;
  text.require('(');
  parse_item(text, format, 0);
  text.require(')');
  if (!text.at_end() || format.per_line * static_cast<std::int64_t>(format.width) > longest_line) {
    text.fail();
  }
  return format;
}

bool read_fortran_integer(std::string_view field, std::int64_t& value, std::string& error) {
  const std::string_view token = without_blanks_around(field);
  if (parse_whole(token, value) == WholeNumber::ok) return true;
  error = quote(token) + " is not a whole number; expected one";
  return false;
}

bool read_fortran_real(std::string_view field, const FortranFormat& format, double& value,
                       std::string& error) {
  const std::string_view token = without_blanks_around(field);
  // A token that every reader takes as it stands, which nearly all are.
  const auto is_exponent_letter = [](char c) {
    return c == 'e' || c == 'E' || c == 'd' || c == 'D' || c == 'q' || c == 'Q';
  };
  std::size_t exponent_at = token.size();
  for (std::size_t k = 1; k < token.size(); ++k) {
    if (is_exponent_letter(token[k]) || token[k] == '+' || token[k] == '-') {
      exponent_at = k;
      break;
    }
  }
  std::string_view mantissa = token.substr(0, exponent_at);
  std::string_view exponent = token.substr(exponent_at);
  const bool has_point = mantissa.find('.') != std::string_view::npos;
  if (!exponent.empty() && is_exponent_letter(exponent.front())) exponent.remove_prefix(1);
  const bool has_exponent = exponent_at < token.size();
  // The power of ten that the format adds to what is written.
  const int implied = (has_point ? 0 : -format.digits) + (has_exponent ? 0 : -format.scale);
  std::int64_t written = 0;
  DecimalStatus status = DecimalStatus::not_a_number;
  if (!has_exponent || parse_whole(exponent, written) == WholeNumber::ok) {
    constexpr std::int64_t furthest = 100'000;
    if (written > -furthest && written < furthest) {
      status =
          parse_decimal(std::string(mantissa) + "e" + std::to_string(written + implied), value);
    }
  }
  switch (status) {
    case DecimalStatus::ok:
      return true;
    case DecimalStatus::not_finite:
    case DecimalStatus::not_a_number:
      error = "value " + quote(token) + " is not a number; expected a finite one";
      break;
    case DecimalStatus::too_large:
      error = "value " + quote(token) + " is too large for a double; expected at most 1.8e308";
      break;
  }
  return false;
}

}  // namespace sparsecast
