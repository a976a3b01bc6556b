#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/json_tree.hpp"
#include "core/base/text/text_fields.hpp"
#include "model/profile/json_fields.hpp"

namespace sparsecast {

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

class JsonReader final : public ProfileFields {
 public:
  JsonReader(const JsonTree& json, const std::string& source) : source_(source) {
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
    const JsonTree& json = required(key);
    if (json.kind != JsonTree::Kind::truth)
      refuse(key, "expected true or false, found " + json.kind_text());
    value = json.truth;
  }

  void numbers(const std::string& key, std::span<double> values, NumberRange range) override {
    const JsonTree& json = array(key);
    if (json.elements.size() != values.size()) {
      refuse(key, "expected " + std::to_string(values.size()) + " numbers, found " +
                      std::to_string(json.elements.size()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = number_of(json.elements[i], path_of_element(key, i), range);
    }
  }

  void texts(const std::string& key, std::vector<std::string>& values) override {
    const JsonTree& json = array(key);
    values.clear();
    for (std::size_t i = 0; i < json.elements.size(); ++i) {
      values.push_back(text_of(json.elements[i], path_of_element(key, i)));
    }
  }

  void begin(const std::string& key) override {
    const JsonTree& json = required(key);
    open_.push_back({&json, path_of(key), {}});
    require_object();
  }

  void end() override {
    const Open& object = open_.back();
    for (const std::string& key : object.json->keys) {
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
    return open_.back().json->find(key) != nullptr;
  }

  std::vector<std::string> keys() const override { return open_.back().json->keys; }

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
    const JsonTree* json;
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
    const JsonTree& json = *open_.back().json;
    if (json.kind != JsonTree::Kind::object)
      refuse_object("expected an object, found " + json.kind_text());
  }

  const JsonTree& required(const std::string& key) {
    last_ = key;
    open_.back().known.insert(key);
    const JsonTree* found = open_.back().json->find(key);
    if (found == nullptr) refuse_object("field '" + key + "' is missing");
    return *found;
  }

  const JsonTree& array(const std::string& key) {
    const JsonTree& json = required(key);
    if (json.kind != JsonTree::Kind::array)
      refuse(key, "expected an array, found " + json.kind_text());
    return json;
  }

  double number_of(const JsonTree& json, const std::string& path, NumberRange range) const {
    if (json.kind != JsonTree::Kind::number) {
      fail(path, "expected " + expected_text(range) + ", found " + json.kind_text());
    }
    const double value = json.number;
    if (!std::isfinite(value) || value < range.min || value > range.max) {
      fail(path, "expected " + expected_text(range) + ", found " + json.text);
    }
    return value;
  }

  std::string text_of(const JsonTree& json, const std::string& path) const {
    if (json.kind != JsonTree::Kind::text) fail(path, "expected a text, found " + json.kind_text());
    return json.text;
  }

  std::int64_t whole_number_of(const std::string& key, std::int64_t most) {
    const JsonTree& json = required(key);
    const bool fits = json.whole && *json.whole <= static_cast<std::uint64_t>(most);
    if (!fits) {
      const std::string limit =
          most == std::numeric_limits<std::int64_t>::max() ? "" : " up to " + std::to_string(most);
      refuse(key, "expected a whole number from 0" + limit + ", found " +
                      (json.kind == JsonTree::Kind::number ? json.text : json.kind_text()));
    }
    return static_cast<std::int64_t>(*json.whole);
  }

  const std::string& source_;
  std::vector<Open> open_;  ///< from the whole file to the object that is read
  std::string last_;        ///< the field that was read last
};

}  // namespace

void read_json_fields(std::string_view text, const std::string& source, const FieldList& list) {
  const JsonTree json =
      parse_json_tree(text, source, "a profile as sparsecast calibrate writes it");
  JsonReader reader(json, source);
  list(reader);
  reader.end();
}

}  // namespace sparsecast
