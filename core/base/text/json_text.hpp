#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// JSON as text, put together value by value: members keep their order, numbers are the shortest
/// that read back as they are.

namespace sparsecast {

/// A value of JSON.
class JsonValue {
 public:
  JsonValue() : text_("null") {}
  template <std::same_as<bool> Truth>
  JsonValue(Truth truth) : text_(truth ? "true" : "false") {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) JsonValue(Number number) : text_(std::to_string(number)) {}
  /// Null where it is not finite.
  JsonValue(double number);
  /// What is not UTF-8 becomes replacement characters; all control characters are escaped.
  template <std::convertible_to<std::string_view> Text>
  JsonValue(const Text& text) : text_(quoted(text)) {}
  /// An array of numbers, null where they are not finite.
  JsonValue(std::span<const double> numbers);
  JsonValue(const std::vector<double>& numbers) : JsonValue(std::span<const double>(numbers)) {}
  template <class Value>
  JsonValue(const std::vector<Value>& values);
  /// Null for nothing.
  template <class Value>
  JsonValue(const std::optional<Value>& value)
      : JsonValue(value ? JsonValue(*value) : JsonValue()) {}

  /// On one line, without its end.
  const std::string& text() const { return text_; }

  /// With a member or an element a line, indented by so many spaces a level, and the last line's
  /// end.
  std::string lines(int indent = 2) const;

  /// The same, but what has no more characters than this stays on one line, and so does an array of
  /// numbers; a level is indented by one space.
  std::string wrapped(std::size_t width = 240) const;

 protected:
  static std::string quoted(std::string_view text);

  std::string text_;
};

/// An array of values.
class JsonArray : public JsonValue {
 public:
  JsonArray() { text_ = "[]"; }

  JsonArray& add(const JsonValue& value);
};

/// An object with members in the order in which they are added; no key may come twice.
class JsonObject : public JsonValue {
 public:
  struct Member {
    std::string_view key;
    JsonValue value;
  };

  JsonObject() { text_ = "{}"; }
  JsonObject(std::initializer_list<Member> members);

  JsonObject& add(std::string_view key, const JsonValue& value);
  /// All members of another object.
  JsonObject& add_members(const JsonObject& other);
};

template <class Value>
JsonValue::JsonValue(const std::vector<Value>& values) {
  JsonArray array;
  for (const Value& value : values) array.add(value);
  text_ = array.text();
}

/// A number that is often a whole one: without a point then.
JsonValue amount_json(double amount);
/// An array of such.
JsonArray amounts_json(std::span<const double> amounts);

/// A JSON text in which the control characters that JSON would leave as they are (U+007F to U+009F)
/// are escaped.
std::string escape_controls(std::string_view json);

}  // namespace sparsecast
