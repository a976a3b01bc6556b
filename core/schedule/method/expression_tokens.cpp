#include "core/schedule/method/expression_tokens.hpp"

#include <charconv>
#include <initializer_list>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/schedule/method/expression.hpp"

namespace sparsecast {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word_part(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

void refuse_at(std::size_t place, const std::string& message) {
  throw Error("column " + std::to_string(place + 1) + ": " + message);
}

bool Token::is(std::string_view other) const {
  return kind != Kind::end && kind != Kind::number && text == other;
}

std::string Token::described() const {
  return kind == Kind::end ? "the end" : in_quotes(text);
}

Tokens::Tokens(std::string_view text) : text_(text) {
  if (text.size() > longest_expression) {
    refuse_at(longest_expression, "the text is longer than " + std::to_string(longest_expression) +
                                      " bytes; split it into several assignments");
  }
  take();
}

template <class Is>
std::size_t Tokens::skip(std::size_t at, Is is) const {
  while (at < text_.size() && is(text_[at])) ++at;
  return at;
}

void Tokens::end_token(Token::Kind kind, std::size_t end) {
  next_.kind = kind;
  next_.text = text_.substr(at_, end - at_);
  at_ = end;
}

/// As in JSON. The point of "0..m" is no part of one.
void Tokens::read_number() {
  std::size_t end = skip(at_, is_digit);
  if (text_[at_] == '0' && end > at_ + 1) refuse_at(at_, "a number must not begin with 0");
  if (character(end) == '.' && is_digit(character(end + 1))) end = skip(end + 1, is_digit);
  if (character(end) == 'e' || character(end) == 'E') {
    const bool is_signed = character(end + 1) == '+' || character(end + 1) == '-';
    const std::size_t digits = end + (is_signed ? 2 : 1);
    if (!is_digit(character(digits))) refuse_at(digits, "expected the digits of an exponent");
    end = skip(digits, is_digit);
  }
  if (is_word_part(character(end))) refuse_at(end, "expected an operator after a number");
  end_token(Token::Kind::number, end);
  const auto [stop, status] =
      std::from_chars(next_.text.data(), next_.text.data() + next_.text.size(), next_.number);
  if (status != std::errc{}) {
    refuse_at(next_.place, "the number " + next_.described() +
                               " is beyond double precision; write 0 or infinity");
  }
}

void Tokens::read_symbol() {
  for (const std::string_view symbol : {"<=", ">=", "==", "!=", ".."}) {
    if (text_.substr(at_, 2) == symbol) return end_token(Token::Kind::symbol, at_ + 2);
  }
  if (std::string_view("+-*/<>=()[],").find(text_[at_]) == std::string_view::npos) {
    refuse_at(at_, "unexpected character " + in_quotes(text_.substr(at_, 1)) +
                       "; an expression has numbers, names, operators and brackets");
  }
  end_token(Token::Kind::symbol, at_ + 1);
}

Token Tokens::take() {
  taken_ = next_;
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  next_ = {Token::Kind::end, {}, 0, at_};
  if (at_ == text_.size()) return taken_;
  if (is_digit(text_[at_])) {
    read_number();
  } else if (is_word_part(text_[at_])) {
    end_token(Token::Kind::word, skip(at_, is_word_part));
  } else {
    read_symbol();
  }
  return taken_;
}

}  // namespace sparsecast
