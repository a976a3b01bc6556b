#include "core/base/text/text_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace sparsecast {

std::string number_text(double number) {
  std::array<char, 32> text{};
  const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), number);
  return std::string(text.data(), end);
}

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::string brief(std::string_view text) {
  constexpr std::size_t most = 60;
  std::size_t size = std::min(text.size(), most);
  const auto continues_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
  };
  while (size > 0 && size < text.size() && continues_character(text[size])) --size;
  std::string line(text.substr(0, size));
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
  return size < text.size() ? line + "..." : line;
}

std::string in_quotes(std::string_view text) {
  return "'" + brief(text) + "'";
}

}  // namespace sparsecast
