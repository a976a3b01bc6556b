#include "core/base/text/json_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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

/// One past the string or bracket that begins at `begin`.
std::size_t end_of_value(std::string_view json, std::size_t begin) {
  std::size_t depth = 0;
  bool inside_string = false;
  for (std::size_t i = begin; i < json.size(); ++i) {
    const char c = json[i];
    if (inside_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      inside_string = !inside_string;
    } else if (!inside_string && (c == '{' || c == '[')) {
      ++depth;
    } else if (!inside_string && (c == '}' || c == ']')) {
      --depth;
    }
    if (!inside_string && depth == 0) return i + 1;
  }
  return json.size();
}

/// Whether a value is left on one line where others are of at most so many characters.
bool stays(std::string_view value, std::size_t width) {
  const bool empty = value.size() == 2;
  const bool flat = value.find_first_of("[{\"", 1) == std::string_view::npos;
  return value.front() == '"' || empty || value.size() <= width || (width > 0 && flat);
}

/// Breaks a text into lines.
std::string broken(std::string_view json, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t level = 0;
  const auto break_line = [&] {
    lines += '\n';
    lines.append(level * indent, ' ');
  };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    const bool opens = c == '{' || c == '[';
    const bool closes = c == '}' || c == ']';
    if (opens || c == '"') {
      const std::string_view value = json.substr(i, end_of_value(json, i) - i);
      if (stays(value, width)) {
        lines += value;
        i += value.size() - 1;
        continue;
      }
    }
    if (closes) {
      --level;
      break_line();
    }
    lines += c;
    if (opens) ++level;
    if (opens || c == ',') break_line();
    if (c == ':') lines += ' ';
  }
  return lines + '\n';
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
  return broken(text_, static_cast<std::size_t>(indent), 0);
}

std::string JsonValue::wrapped(std::size_t width) const {
  return broken(text_, 1, width);
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

JsonValue amount_json(double amount) {
  constexpr double most = 0x1p53;
  if (std::abs(amount) <= most && amount == std::floor(amount)) {
    return static_cast<std::int64_t>(amount);
  }
  return amount;
}

JsonArray amounts_json(std::span<const double> amounts) {
  JsonArray array;
  for (const double amount : amounts) array.add(amount_json(amount));
  return array;
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
