#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/profile/json_fields.hpp"

namespace sparsecast {

/// Keeps the order in which fields are written.
using Json = nlohmann::ordered_json;

namespace {

class JsonWriter final : public ProfileFields {
 public:
  explicit JsonWriter(Json& json) : open_{&json} {}

  bool reads() const override { return false; }

  void number(const std::string& key, double& value, NumberRange /*range*/) override {
    write(key, value);
  }
  void whole_number(const std::string& key, std::int64_t& value) override { write(key, value); }
  void whole_number(const std::string& key, int& value) override { write(key, value); }
  void text(const std::string& key, std::string& value) override { write(key, value); }
  void flag(const std::string& key, bool& value) override { write(key, value); }
  void numbers(const std::string& key, std::span<double> values, NumberRange /*range*/) override {
    write(key, std::vector<double>(values.begin(), values.end()));
  }
  void texts(const std::string& key, std::vector<std::string>& values) override {
    write(key, values);
  }

  void begin(const std::string& key) override {
    write(key, Json::object());
    open_.push_back(&(*open_.back())[key]);
  }
  void end() override { open_.pop_back(); }

  bool has(const std::string& /*key*/, bool present) override { return present; }
  std::vector<std::string> keys() const override { return {}; }

  void require(bool /*holds*/, const std::string& /*message*/) const override {}

 protected:
  std::string place_of(const std::string& key) const override { return key + ": "; }
  std::string place() const override { return ""; }

 private:
  template <class Value>
  void write(const std::string& key, const Value& value) {
    (*open_.back())[key] = value;
  }

  std::vector<Json*> open_;  ///< from the whole file to the object that is written
};

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// What is short and holds no others stands in one line: a profile is to be read, and mailed.
std::string laid_out(const Json& json, const std::string& margin) {
  if (!json.is_structured() || json.empty()) return dump(json);
  constexpr std::size_t line = 200;
  const std::string inner = margin + ' ';
  std::vector<std::string> items;
  std::size_t length = 0;
  bool holds_others = false;
  for (const auto& [key, each] : json.items()) {
    std::string item = json.is_object() ? dump(key) + ": " : "";
    item += laid_out(each, inner);
    length += item.size() + 2;
    holds_others = holds_others || each.is_structured();
    items.push_back(std::move(item));
  }
  const bool in_one_line = !holds_others && length <= line;
  std::string text(1, json.is_object() ? '{' : '[');
  const char* between = "";
  for (const std::string& item : items) {
    text += between;
    if (!in_one_line) (text += '\n') += inner;
    text += item;
    between = in_one_line ? ", " : ",";
  }
  if (!in_one_line) (text += '\n') += margin;
  text += json.is_object() ? '}' : ']';
  return text;
}

}  // namespace

std::string json_of_fields(const FieldList& list) {
  Json json = Json::object();
  JsonWriter writer(json);
  list(writer);
  return laid_out(json, "") + '\n';
}

}  // namespace sparsecast
