#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "model/profile/json_fields.hpp"

namespace sparsecast {

/// Where the order of fields does not matter, a lookup is no walk.
using Json = nlohmann::json;

namespace {

std::string short_text(double number) {
  std::array<char, 32> text{};
  const auto [end, status] =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 6);
  return status == std::errc{} ? std::string(text.data(), end) : "a number";
}

std::string expected_text(NumberRange range) {
  const bool bounded_below = range.min > std::numeric_limits<double>::lowest();
  const bool bounded_above = range.max < std::numeric_limits<double>::max();
  if (!bounded_below) return "a number";
  if (range.min == positive.min) return "a positive number";
  if (!bounded_above) return "a number of at least " + short_text(range.min);
  return "a number from " + short_text(range.min) + " to " + short_text(range.max);
}

/// What a value is, for messages.
std::string kind_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "true or false";
    case Json::value_t::string:
      return "a text";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::object:
      return "an object";
    default:
      return "a number";
  }
}

class JsonReader final : public ProfileFields {
 public:
  JsonReader(const Json& json, const std::string& source) : source_(source) {
    open_.push_back({&json, "", {}});
    require_object();
  }

  bool reads() const override { return true; }

  void number(const std::string& key, double& value, NumberRange range) override {
    value = number_of(required(key), path_of(key), range);
  }

  void whole_number(const std::string& key, std::int64_t& value) override {
    value = whole_number_of(key, std::numeric_limits<std::int64_t>::max());
  }
  void whole_number(const std::string& key, int& value) override {
    value = static_cast<int>(whole_number_of(key, std::numeric_limits<int>::max()));
  }

  void text(const std::string& key, std::string& value) override {
    value = text_of(required(key), path_of(key));
  }

  void flag(const std::string& key, bool& value) override {
    const Json& json = required(key);
    if (!json.is_boolean()) refuse(key, "expected true or false, found " + kind_of(json));
    value = json.get<bool>();
  }

  void numbers(const std::string& key, std::span<double> values, NumberRange range) override {
    const Json& json = array(key);
    if (json.size() != values.size()) {
      refuse(key, "expected " + std::to_string(values.size()) + " numbers, found " +
                      std::to_string(json.size()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = number_of(json[i], path_of_element(key, i), range);
    }
  }

  void texts(const std::string& key, std::vector<std::string>& values) override {
    const Json& json = array(key);
    values.clear();
    for (std::size_t i = 0; i < json.size(); ++i) {
      values.push_back(text_of(json[i], path_of_element(key, i)));
    }
  }

  void begin(const std::string& key) override {
    const Json& json = required(key);
    open_.push_back({&json, path_of(key), {}});
    require_object();
  }

  void end() override {
    const Open& object = open_.back();
    for (const auto& [key, value] : object.json->items()) {
      if (object.known.contains(key)) continue;
      std::string expected;
      for (const std::string& name : object.known) {
        expected += (expected.empty() ? "" : ", ") + name;
      }
      refuse_object("unknown field " + in_quotes(key) + "; known are " + expected);
    }
    open_.pop_back();
  }

  bool has(const std::string& key, bool /*present*/) override {
    open_.back().known.insert(key);
    return open_.back().json->contains(key);
  }

  std::vector<std::string> keys() const override {
    std::vector<std::string> all;
    for (const auto& [key, value] : open_.back().json->items()) all.push_back(key);
    return all;
  }

  void require(bool holds, const std::string& message) const override {
    if (!holds) refuse(last_, message);
  }

 protected:
  std::string place_of(const std::string& key) const override {
    return place_of_path(path_of(key));
  }
  std::string place() const override { return place_of_path(open_.back().path); }

 private:
  /// An object, and those of its fields that were asked for.
  struct Open {
    const Json* json;
    std::string path;
    std::set<std::string> known;
  };

  std::string place_of_path(const std::string& path) const {
    return source_ + ": " + (path.empty() ? "" : path + ": ");
  }
  [[noreturn]] void fail(const std::string& path, const std::string& message) const {
    throw Error(place_of_path(path) + message);
  }

  std::string path_of(const std::string& key) const {
    const std::string& path = open_.back().path;
    return path.empty() ? brief(key) : path + "." + brief(key);
  }
  std::string path_of_element(const std::string& key, std::size_t place) const {
    return path_of(key) + "[" + std::to_string(place) + "]";
  }

  void require_object() const {
    const Json& json = *open_.back().json;
    if (!json.is_object()) refuse_object("expected an object, found " + kind_of(json));
  }

  const Json& required(const std::string& key) {
    last_ = key;
    open_.back().known.insert(key);
    const auto found = open_.back().json->find(key);
    if (found == open_.back().json->end()) refuse_object("field '" + key + "' is missing");
    return *found;
  }

  const Json& array(const std::string& key) {
    const Json& json = required(key);
    if (!json.is_array()) refuse(key, "expected an array, found " + kind_of(json));
    return json;
  }

  double number_of(const Json& json, const std::string& path, NumberRange range) const {
    if (!json.is_number()) {
      fail(path, "expected " + expected_text(range) + ", found " + kind_of(json));
    }
    const double value = json.get<double>();
    if (!std::isfinite(value) || value < range.min || value > range.max) {
      fail(path, "expected " + expected_text(range) + ", found " + json.dump());
    }
    return value;
  }

  std::string text_of(const Json& json, const std::string& path) const {
    if (!json.is_string()) fail(path, "expected a text, found " + kind_of(json));
    return json.get<std::string>();
  }

  std::int64_t whole_number_of(const std::string& key, std::int64_t most) {
    const Json& json = required(key);
    const bool fits =
        json.is_number_unsigned() && json.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
    if (!fits) {
      const std::string limit =
          most == std::numeric_limits<std::int64_t>::max() ? "" : " up to " + std::to_string(most);
      refuse(key, "expected a whole number from 0" + limit + ", found " +
                      (json.is_number() ? json.dump() : kind_of(json)));
    }
    return json.get<std::int64_t>();
  }

  const std::string& source_;
  std::vector<Open> open_;  ///< from the whole file to the object that is read
  std::string last_;        ///< the field that was read last
};

/// "line 3, column 14" of a byte counted from 1.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? std::min(byte - 1, text.size()) : 0);
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column =
      line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start;
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column);
}

/// Refuses a field that is there twice: which of the two is meant nobody knows.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(const std::string& source) : source_(&source) {}

  bool operator()(int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto key = parsed.get<std::string>();
      if (!keys_.back().insert(key).second) {
        throw Error(*source_ + ": field " + in_quotes(key) + " is there twice");
      }
    }
    return true;
  }

 private:
  const std::string* source_;
  std::vector<std::set<std::string>> keys_;  ///< of the objects that are open
};

Json parse_json(std::string_view text, const std::string& source) {
  const auto damaged = [&](std::size_t byte) {
    return Error(source + ": damaged JSON at " + line_and_column(text, byte) +
                 "; expected a profile as sparsecast calibrate writes it");
  };
  // The parser would take it for the end.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    throw damaged(zero + 1);
  }
  try {
    return Json::parse(text.begin(), text.end(), DuplicateKeys(source));
  } catch (const Json::parse_error& error) {
    throw damaged(error.byte);
  } catch (const Json::exception&) {  // a number that no double holds
    throw Error(source + ": a number is too large; expected finite numbers");
  }
}

}  // namespace

void read_json_fields(std::string_view text, const std::string& source, const FieldList& list) {
  const Json json = parse_json(text, source);
  JsonReader reader(json, source);
  list(reader);
  reader.end();
}

}  // namespace sparsecast
