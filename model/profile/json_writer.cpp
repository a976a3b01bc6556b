#include <nlohmann/json.hpp>

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

}  // namespace

std::string json_of_fields(const FieldList& list) {
  Json json = Json::object();
  JsonWriter writer(json);
  list(writer);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace sparsecast
