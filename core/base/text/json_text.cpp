#include "core/base/text/json_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace sparsecast {

namespace {

/// Puts what follows into brackets that hold nothing or something.
void append(std::string& text, std::string_view more) {
  const char closing = text.back();
  text.pop_back();
  if (text.size() > 1) text += ',';
  text += more;
  text += closing;
}

}  // namespace

JsonValue::JsonValue(double number) : text_(nlohmann::json(number).dump()) {}

JsonValue::JsonValue(std::span<const double> numbers)
    : text_(nlohmann::json(std::vector<double>(numbers.begin(), numbers.end())).dump()) {}

std::string JsonValue::quoted(std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (plain) return '"' + std::string(text) + '"';
  using Json = nlohmann::json;
  return escape_controls(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string JsonValue::lines(int indent) const {
  std::string lines;
  std::size_t level = 0;
  const auto break_line = [&] {
    lines += '\n';
    lines.append(level * static_cast<std::size_t>(indent), ' ');
  };
  bool inside_string = false;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const char c = text_[i];
    if (inside_string) {
      lines += c;
      if (c == '\\') {
        lines += text_[++i];
      } else {
        inside_string = c != '"';
      }
      continue;
    }
    const bool opens = c == '{' || c == '[';
    const bool closes = c == '}' || c == ']';
    const bool empty = closes && (text_[i - 1] == '{' || text_[i - 1] == '[');
    if (closes) --level;
    if (closes && !empty) break_line();
    lines += c;
    if (opens) ++level;
    const bool empty_follows = opens && (text_[i + 1] == '}' || text_[i + 1] == ']');
    if ((opens && !empty_follows) || c == ',') break_line();
    if (c == ':') lines += ' ';
    inside_string = c == '"';
  }
  return lines + '\n';
}

JsonArray& JsonArray::add(const JsonValue& value) {
  append(text_, value.text());
  return *this;
}

JsonObject::JsonObject(std::initializer_list<Member> members) : JsonObject() {
  for (const Member& member : members) add(member.key, member.value);
}

JsonObject& JsonObject::add(std::string_view key, const JsonValue& value) {
  append(text_, quoted(key) + ':' + value.text());
  return *this;
}

JsonObject& JsonObject::add_members(const JsonObject& other) {
  const std::string_view members = std::string_view(other.text_).substr(1, other.text_.size() - 2);
  if (!members.empty()) append(text_, members);
  return *this;
}

std::string escape_controls(std::string_view json) {
  std::string escaped;
  escaped.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(json[at]); };
    const bool c1 = byte(i) == 0xc2 && i + 1 < json.size() && byte(i + 1) < 0xa0;
    if (byte(i) != 0x7f && !c1) {
      escaped += json[i];
      continue;
    }
    if (c1) ++i;
    std::array<char, 8> code{};
    std::snprintf(code.data(), code.size(), "\\u%04x", byte(i));
    escaped += code.data();
  }
  return escaped;
}

}  // namespace sparsecast
