#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sparsecast {

/// Throws `Error`: the column of that byte, and the message.
[[noreturn]] void refuse_at(std::size_t place, const std::string& message);

struct Token {
  enum class Kind { end, number, word, symbol };
  Kind kind = Kind::end;
  std::string_view text;
  double number = 0;
  std::size_t place = 0;

  /// Whether it is this word or symbol.
  bool is(std::string_view other) const;
  /// For messages.
  std::string described() const;
};

/// Takes the text of an expression apart, a token at a time. Throws `Error` for a text that is too
/// long, and for what is no token.
class Tokens {
 public:
  explicit Tokens(std::string_view text);

  const Token& next() const { return next_; }
  /// The one that was taken before; an end in front of the first.
  const Token& taken() const { return taken_; }
  /// Returns the next one and goes on.
  Token take();

 private:
  template <class Is>
  std::size_t skip(std::size_t at, Is is) const;
  char character(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  void end_token(Token::Kind kind, std::size_t end);
  void read_number();
  void read_symbol();

  std::string_view text_;
  std::size_t at_ = 0;
  Token next_;
  Token taken_;
};

}  // namespace sparsecast
