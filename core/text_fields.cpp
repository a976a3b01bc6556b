#include "core/text_fields.hpp"

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

}  // namespace sparsecast
