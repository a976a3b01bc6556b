#include "core/matrix/files/text_tokens.hpp"

#include <cctype>
#include <charconv>
#include <system_error>

namespace sparsecast {

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return words;
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    words.push_back(line.substr(begin, at - begin));
  }
}

std::string quote(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string quoted = "'";
  for (const char c : text.substr(0, longest)) quoted += c >= ' ' && c <= '~' ? c : '?';
  return quoted + (text.size() > longest ? "...'" : "'");
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string number_of(std::int64_t count, const char* singular, const char* plural) {
  return std::to_string(count) + " " + (count == 1 ? singular : plural);
}

WholeNumber parse_whole(std::string_view token, std::int64_t& value) {
  if (token.starts_with('+') && token.size() > 1 && token[1] != '-') token.remove_prefix(1);
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end != token.data() + token.size() || error == std::errc::invalid_argument) {
    return WholeNumber::not_a_number;
  }
  return error == std::errc() ? WholeNumber::ok : WholeNumber::too_large;
}

}  // namespace sparsecast
