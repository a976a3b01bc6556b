#include "cli/html/html_text.hpp"

#include "cli/reports/printable.hpp"

namespace sparsecast::cli {

std::string html_text(std::string_view text) {
  std::string html;
  const std::string shown = printable(text);
  const auto is_digit = [&](std::size_t at) {
    return at < shown.size() && shown[at] >= '0' && shown[at] <= '9';
  };
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const char c = shown[at];
    switch (c) {
      case ' ':  // thousands stay on one line
        html += at > 0 && is_digit(at - 1) && is_digit(at + 1) ? "&nbsp;" : " ";
        break;
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string with_micro_signs(std::string text) {
  constexpr std::string_view unit = " us";
  const auto is_one_of = [&](std::size_t at, std::string_view characters) {
    return at < text.size() && characters.find(text[at]) != std::string_view::npos;
  };
  for (std::size_t at = text.find(unit); at != std::string::npos; at = text.find(unit, at + 1)) {
    const std::size_t end = at + unit.size();
    const bool ends = end == text.size() || is_one_of(end, " ,;:)<\"\\") ||
                      (text[end] == '.' && (end + 1 == text.size() || is_one_of(end + 1, " <\"")));
    if (at > 0 && is_one_of(at - 1, "0123456789") && ends) text.replace(at + 1, 1, "\u00b5");
  }
  return text;
}

std::string html_json(const JsonValue& value) {
  // None of these is outside of JSON's strings.
  std::string html;
  const std::string_view text = value.text();
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with('<')) {
      html += "\\u003c";
    } else if (rest.starts_with('>')) {
      html += "\\u003e";
    } else if (rest.starts_with('&')) {
      html += "\\u0026";
    } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      html += rest[2] == '\xa8' ? "\\u2028" : "\\u2029";
      at += 2;
    } else {
      html += rest.front();
    }
  }
  return html;
}

}  // namespace sparsecast::cli
